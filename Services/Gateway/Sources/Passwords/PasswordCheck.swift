internal import Foundation
internal import Synchronization

/// Checks passwords where their cost (``PasswordHash/usualCost``) stands in nobody's way: on threads of
/// their own, a few at once. Who would have to wait long is told to come again instead. Browsers that are known have places
/// of their own to wait, and are checked first: strangers who try many passwords do not keep them waiting.
final class PasswordCheck: Sendable {
    /// More than so many rounds of checks are not waited for.
    private static let maxRounds = 20

    private let queue = OperationQueue()
    private let maxWaiting: Int
    private let cost: Int
    private let waiting = Mutex((strangers: 0, known: 0))
    /// The hash of a password that nobody knows, made when it is first wanted.
    private let unknown = Mutex<String?>(nil)

    /// - Parameters:
    ///   - maxChecks: how many run at once.
    ///   - cost: what hashes cost; one that is not there costs as much.
    init(maxChecks: Int, cost: Int = PasswordHash.usualCost) {
        self.cost = cost
        queue.name = "zonda.passwords"
        queue.maxConcurrentOperationCount = maxChecks
        maxWaiting = maxChecks * Self.maxRounds
    }

    /// Whether the password has that hash; nil when too many wait for theirs.
    ///
    /// - Parameters:
    ///   - hash: nil for an account that there is not, or that has no password: false then, after the same time, so that a
    ///     stranger does not learn which e-mail addresses have an account.
    ///   - isKnown: whether the account has signed in with this browser before.
    func verifies(_ password: String, _ hash: String?, isKnown: Bool = false) async -> Bool? {
        guard takePlace(isKnown) else { return nil }
        defer { waiting.withLock { if isKnown { $0.known -= 1 } else { $0.strangers -= 1 } } }
        return await withCheckedContinuation { continuation in
            let check = BlockOperation {
                let verifies = PasswordHash.verifies(password, hash ?? self.unknownHash())
                continuation.resume(returning: hash != nil && verifies)
            }
            check.queuePriority = isKnown ? .high : .normal
            queue.addOperation(check)
        }
    }

    private func takePlace(_ isKnown: Bool) -> Bool {
        waiting.withLock { waiting in
            guard (isKnown ? waiting.known : waiting.strangers) < maxWaiting else { return false }
            if isKnown { waiting.known += 1 } else { waiting.strangers += 1 }
            return true
        }
    }

    private func unknownHash() -> String {
        unknown.withLock { known in
            if let known { return known }
            let random = (0..<16).map { _ in String(UInt8.random(in: .min ... .max), radix: 16) }.joined()
            let made = (try? PasswordHash.make(random, cost: cost)) ?? ""
            known = made
            return made
        }
    }
}
