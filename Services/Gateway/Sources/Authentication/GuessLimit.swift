internal import CloudKitModel
internal import HTTPServing
internal import RequestServing
internal import Synchronization

/// Limits how often one address can cause look-ups of nonexistent API tokens and key ids. Each look-up takes a round
/// trip to the database, and any client can invent tokens and ids.
///
/// A look-up that is answered from the cache costs nothing and is not counted.
final class GuessLimit: Sendable {
    /// The maximum rate of unsuccessful look-ups per address.
    static let rate = TokenBucket.Rate(perMinute: 300, burst: 300)

    private let networks = Mutex(TokenBuckets<IPAddress?>(GuessLimit.rate))
    private let now: @Sendable () -> ContinuousClock.Instant

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) { self.now = now }

    /// Returns the result of `find`. A call that finds nothing counts towards the limit.
    ///
    /// - Throws: `THROTTLED` if the address has reached the limit, or an error from `find`.
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
