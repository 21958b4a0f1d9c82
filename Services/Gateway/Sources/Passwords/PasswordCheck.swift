internal import Foundation
internal import Synchronization

/// Checks passwords on separate threads, a few at a time, because a check is expensive (``PasswordHash/usualCost``). If
/// too many checks are waiting, further ones are refused. Checks from known browsers have priority and are counted
/// separately, so strangers who try many passwords do not delay them.
final class PasswordCheck: Sendable {
    /// The maximum number of waiting checks per concurrent check.
    private static let maxRounds = 20

    private let queue = OperationQueue()
    private let maxWaiting: Int
    private let cost: Int
    private let waiting = Mutex((strangers: 0, known: 0))
    /// The hash of a random password, created on first use.
    private let unknown = Mutex<String?>(nil)

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - maxChecks: the number of checks that run concurrently.
    ///   - cost: the cost of hashes. A check without a hash has the same cost.
    init(maxChecks: Int, cost: Int = PasswordHash.usualCost) {
        self.cost = cost
        queue.name = "zonda.passwords"
        queue.maxConcurrentOperationCount = maxChecks
        maxWaiting = maxChecks * Self.maxRounds
    }

    /// Returns whether `hash` is the hash of the password; nil if too many checks are waiting.
    ///
    /// - Parameters:
    ///   - hash: the hash; nil if there is no account, or if the account has no password, in which case the result is
    ///     false. The check always takes the same time, so that a stranger cannot learn which email addresses have
    ///     accounts.
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
