internal import CloudKitModel
internal import HTTPServing
internal import RequestServing
internal import Synchronization

/// Bounds how many API tokens and key IDs that do not exist one address may have looked up: a name costs a round trip to
/// the database, and anybody can make one up.
///
/// What is known already, good or not, costs nothing and is not counted.
final class GuessLimit: Sendable {
    /// Names of nothing that an address may ask for.
    static let rate = TokenBucket.Rate(perMinute: 300, burst: 300)

    private let networks = Mutex(TokenBuckets<IPAddress?>(GuessLimit.rate))
    private let now: @Sendable () -> ContinuousClock.Instant

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) { self.now = now }

    /// What `find` finds; finding nothing counts.
    ///
    /// - Throws: `THROTTLED` when the address has found nothing too often; what `find` throws.
    func find<Value>(for address: String, _ find: () async throws -> Value?) async throws -> Value? {
        let network = IPAddress(address)?.network
        let wait = networks.withLock { $0.wait(network, at: now()) }
        guard wait == .zero else {
            throw ServerError.throttled(
                "address", limit: Self.rate.perSecond, retryAfter: max(1, Int((wait / .seconds(1)).rounded(.up))))
        }
        let value = try await find()
        if value == nil { networks.withLock { $0.take(network, at: now()) } }
        return value
    }
}
