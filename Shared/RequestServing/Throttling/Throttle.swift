internal import CloudKitModel
internal import CoreMetrics
internal import ServiceMessages
package import ServiceRuntime
internal import Synchronization

/// The rates at which users may send requests to one instance. A nil rate means no limit.
package struct ThrottleConfiguration: Hashable, Sendable {
    /// The combined rate of all requests for a container.
    package var container: TokenBucket.Rate?
    /// The rate of one user's requests for a container.
    package var user: TokenBucket.Rate?

    /// Creates a configuration.
    package init(container: TokenBucket.Rate? = nil, user: TokenBucket.Rate? = nil) {
        self.container = container
        self.user = user
    }
}

/// A throttle that refuses requests above a rate limit before any work is done for them.
///
/// Each instance counts requests in its own memory, because a shared counter would cost every request a round trip. A
/// rate therefore applies to one instance of one service. A refused request takes no token. A client that ignores
/// `retryAfter` therefore neither extends its own wait nor takes tokens from other clients of its container.
package final class Throttle: Sendable {
    private struct User: Hashable {
        let container: String
        let name: String
    }

    private struct State {
        var containers: TokenBuckets<String>?
        var users: TokenBuckets<User>?
    }

    private let configuration: ThrottleConfiguration
    private let state: Mutex<State>
    private let now: @Sendable () -> ContinuousClock.Instant
    private let admitted: Counter
    private let refusedOfContainer: Counter
    private let refusedOfUser: Counter

    /// Creates a throttle that reads the time from `now`.
    package init(
        _ configuration: ThrottleConfiguration, metrics: ServiceMetrics,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.configuration = configuration
        self.now = now
        state = Mutex(
            State(
                containers: configuration.container.map(TokenBuckets.init),
                users: configuration.user.map(TokenBuckets.init)))
        admitted = metrics.counter(Self.requests, ["outcome": "admitted"])
        refusedOfContainer = metrics.counter(Self.requests, ["outcome": "container"])
        refusedOfUser = metrics.counter(Self.requests, ["outcome": "user"])
    }

    /// Admits a user's request, or refuses it.
    ///
    /// - Throws: `THROTTLED` if a rate is exceeded.
    func admit(_ context: RequestContext) throws(ServerError) {
        guard configuration.container != nil || configuration.user != nil else { return }
        let user = User(container: context.container, name: context.user)
        let now = now()
        let (ofContainer, ofUser) = state.withLock { state -> (Duration, Duration) in
            let waits = (
                state.containers?.wait(user.container, at: now) ?? .zero, state.users?.wait(user, at: now) ?? .zero
            )
            if waits == (.zero, .zero) {
                state.containers?.take(user.container, at: now)
                state.users?.take(user, at: now)
            }
            return waits
        }
        // If both limits are exceeded, the one with the longer wait is reported.
        if ofUser > .zero, ofUser >= ofContainer, let rate = configuration.user {
            refusedOfUser.increment()
            throw .throttled("user", limit: rate.perSecond, retryAfter: Self.seconds(ofUser))
        }
        if ofContainer > .zero, let rate = configuration.container {
            refusedOfContainer.increment()
            throw .throttled("container", limit: rate.perSecond, retryAfter: Self.seconds(ofContainer))
        }
        admitted.increment()
    }

    /// Rounds a wait up to whole seconds, at least 1, because clients do not read fractions.
    private static func seconds(_ wait: Duration) -> Int { max(1, Int((wait / .seconds(1)).rounded(.up))) }

    private static let requests = MetricFamily.counter(
        "zonda_throttle_requests_total",
        "Users' requests while throttling is enabled, by outcome: admitted, or refused because the container's rate "
            + "or the user's rate is exceeded."
    )
}
