internal import Foundation
internal import Synchronization

/// Checks passwords on threads of their own, a few at once, since a check is expensive (``PasswordHash/usualCost``). If too
/// many checks wait, another one is refused. Known browsers have a queue of their own that goes first, so strangers who
/// try many passwords do not delay them.
final class PasswordCheck: Sendable {
    /// The maximum of waiting checks for each one that runs.
    private static let maxRounds = 20

    private let queue = OperationQueue()
    private let maxWaiting: Int
    private let cost: Int
    private let waiting = Mutex((strangers: 0, known: 0))
    /// The hash of a random password, made on first use.
    private let unknown = Mutex<String?>(nil)

    /// - Parameters:
    ///   - maxChecks: the number of checks that run at once.
    ///   - cost: the cost of hashes, which a check without a hash takes too.
    init(maxChecks: Int, cost: Int = PasswordHash.usualCost) {
        self.cost = cost
        queue.name = "zonda.passwords"
        queue.maxConcurrentOperationCount = maxChecks
        maxWaiting = maxChecks * Self.maxRounds
    }

    /// Whether the password has that hash; nil when too many checks wait.
    ///
    /// - Parameters:
    ///   - hash: nil when there is no account, or it has no password. The result is then false, after the same time, so that
    ///     a stranger does not learn which e-mail addresses have an account.
    ///   - isKnown: whether the account has signed in with this browser before.
    func verifies(_ password: String, _ hash: String?, isKnown: Bool = false) async -> Bool? {
        guard enqueue(isKnown) else { return nil }
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

    private func enqueue(_ isKnown: Bool) -> Bool {
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
