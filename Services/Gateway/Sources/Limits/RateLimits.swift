internal import CloudKitModel
internal import CoreMetrics
internal import HTTPServing
internal import RequestServing
internal import ServiceRuntime
internal import Synchronization

/// Limits the request rates per address, per API token and per user.
///
/// The limits are kept in memory and apply to each instance separately, because a shared counter would cost every
/// request a round trip. A refused request takes no token from any bucket, so a client that ignores `retryAfter` is not
/// refused for longer.
final class RateLimits: Sendable {
    /// The rates; nil disables a limit.
    struct Rates: Hashable, Sendable {
        var token: TokenBucket.Rate?
        var user: TokenBucket.Rate?
        var address: TokenBucket.Rate?
    }

    private struct User: Hashable {
        let container: String
        let name: String
    }

    private struct State {
        var addresses: TokenBuckets<IPAddress>?
        var tokens: TokenBuckets<String>?
        var users: TokenBuckets<User>?
    }

    private let rates: Rates
    private let state: Mutex<State>
    private let now: @Sendable () -> ContinuousClock.Instant
    private let metrics: GatewayMetrics

    /// Creates the limits, which use the clock `now`.
    init(
        _ rates: Rates, metrics: GatewayMetrics,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.rates = rates
        self.now = now
        self.metrics = metrics
        state = Mutex(
            State(
                addresses: rates.address.map(TokenBuckets.init), tokens: rates.token.map(TokenBuckets.init),
                users: rates.user.map(TokenBuckets.init)))
    }

    /// Admits a request from a client's address. All IPv6 addresses in a network count as one (``IPAddress/network``).
    /// An address that cannot be parsed is not limited.
    ///
    /// - Throws: `THROTTLED`.
    func admit(address: String) throws(ServerError) {
        guard let rate = rates.address, let network = IPAddress(address)?.network else { return }
        let now = now()
        let wait = state.withLock { state -> Duration in
            let wait = state.addresses?.wait(network, at: now) ?? .zero
            if wait == .zero { state.addresses?.take(network, at: now) }
            return wait
        }
        if wait > .zero { throw refusal("address", rate, wait) }
    }

    /// Admits a caller's request according to the rates for its API token and its user. Only the token's rate applies
    /// to a caller without a user, and only the user's rate applies to a server-to-server key.
    ///
    /// - Throws: `THROTTLED`.
    func admit(_ caller: Caller, in container: String) throws(ServerError) {
        guard rates.token != nil || rates.user != nil else { return }
        let now = now()
        let user = caller.kind == .world ? nil : User(container: container, name: caller.userName)
        let waits = state.withLock { state -> (token: Duration, user: Duration) in
            let token = caller.apiToken.flatMap { state.tokens?.wait($0, at: now) } ?? .zero
            let ofUser = user.flatMap { state.users?.wait($0, at: now) } ?? .zero
            if token == .zero, ofUser == .zero {
                if let token = caller.apiToken { state.tokens?.take(token, at: now) }
                if let user { state.users?.take(user, at: now) }
            }
            return (token, ofUser)
        }
        // The longer of the two waits applies.
        if waits.user > .zero, waits.user >= waits.token, let rate = rates.user {
            throw refusal("user", rate, waits.user)
        }
        if waits.token > .zero, let rate = rates.token { throw refusal("token", rate, waits.token) }
    }

    private func refusal(_ whose: String, _ rate: TokenBucket.Rate, _ wait: Duration) -> ServerError {
        metrics.throttled[whose].increment()
        // The wait is given in whole seconds, at least 1, because clients do not read fractions.
        return .throttled(whose, limit: rate.perSecond, retryAfter: max(1, Int((wait / .seconds(1)).rounded(.up))))
    }
}
