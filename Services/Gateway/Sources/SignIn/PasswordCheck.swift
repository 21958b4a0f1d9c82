internal import Foundation
internal import Synchronization

/// Checks passwords where their cost (``PasswordHash/usualCost``) stands in nobody's way: on threads of
/// their own, a few at once. Who would have to wait long is told to come again instead.
final class PasswordCheck: Sendable {
    /// More than so many rounds of checks are not waited for.
    private static let maxRounds = 20

    private let queue = OperationQueue()
    private let maxWaiting: Int
    private let cost: Int
    private let waiting = Mutex(0)
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
    /// - Parameter hash: nil for an account that there is not, or that has no password: false then, after the same time,
    ///   so that a stranger does not learn which e-mail addresses have an account.
    func verifies(_ password: String, _ hash: String?) async -> Bool? {
        let isTaken = waiting.withLock { waiting in
            guard waiting < maxWaiting else { return false }
            waiting += 1
            return true
        }
        guard isTaken else { return nil }
        defer { waiting.withLock { $0 -= 1 } }
        return await withCheckedContinuation { continuation in
            queue.addOperation {
                let verifies = PasswordHash.verifies(password, hash ?? self.unknownHash())
                continuation.resume(returning: hash != nil && verifies)
            }
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
