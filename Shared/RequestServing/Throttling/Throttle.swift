internal import CloudKitModel
internal import CoreMetrics
internal import ServiceMessages
package import ServiceRuntime
internal import Synchronization

/// How often users' requests may come to one instance; nil: as often as they like.
package struct ThrottleConfiguration: Hashable, Sendable {
    /// For all requests of a container together.
    package var container: TokenBucket.Rate?
    /// For the requests of a user in a container.
    package var user: TokenBucket.Rate?

    /// A configuration of those rates.
    package init(container: TokenBucket.Rate? = nil, user: TokenBucket.Rate? = nil) {
        self.container = container
        self.user = user
    }
}

/// Refuses requests that come too often, before anything is done for them.
///
/// Decided in each instance's memory: a rate holds per instance and service, since a common counter would cost every
/// request a round trip. A refused request takes no token, so that a client that ignores `retryAfter` does itself no
/// harm, and others of its container only by what it was allowed.
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

    /// A throttle whose time `now` tells.
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

    /// Lets a user's request pass, or says why not.
    ///
    /// - Throws: `THROTTLED`.
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
        // The longer wait is the one that counts.
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

    /// Whole seconds, at least 1: clients read no fractions.
    private static func seconds(_ wait: Duration) -> Int { max(1, Int((wait / .seconds(1)).rounded(.up))) }

    private static let requests = MetricFamily.counter(
        "zonda_throttle_requests_total",
        "Users' requests while throttling is on, by outcome: admitted, or refused for the container's or the user's rate."
    )
}
