internal import CloudKitModel
internal import HTTPServing
internal import RequestServing
internal import Synchronization

/// Limits how many look-ups of API tokens and key ids that do not exist one address may cause. Each costs a round trip to
/// the database, and any client can invent one.
///
/// A look-up that the cache answers costs nothing and is not counted.
final class GuessLimit: Sendable {
    /// The rate of look-ups that find nothing, for one address.
    static let rate = TokenBucket.Rate(perMinute: 300, burst: 300)

    private let networks = Mutex(TokenBuckets<IPAddress?>(GuessLimit.rate))
    private let now: @Sendable () -> ContinuousClock.Instant

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) { self.now = now }

    /// The result of `find`. A call that finds nothing counts.
    ///
    /// - Throws: `THROTTLED` when calls for the address have found nothing too often; errors of `find`.
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
