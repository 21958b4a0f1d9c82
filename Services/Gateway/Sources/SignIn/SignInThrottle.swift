internal import HTTPServing
internal import RequestServing
internal import Synchronization

/// Bounds how many passwords are tried from one address, and for one e-mail address from anywhere. In each instance's
/// memory, as `Throttle`. Every try counts, also one with the right password: it is over before that is known.
final class SignInThrottle: Sendable {
    private struct State {
        /// By network: whoever has an IPv6 address has 2⁶⁴ of them.
        var networks: TokenBuckets<IPAddress?>
        var emails: TokenBuckets<String>
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> ContinuousClock.Instant

    init(
        _ configuration: SignInConfiguration,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        state = Mutex(
            State(
                networks: TokenBuckets(configuration.addressRate), emails: TokenBuckets(configuration.emailRate)))
        self.now = now
    }

    /// Lets a try pass and returns nil, or the whole seconds after which there may be one.
    func admit(address: String, email: String) -> Int? {
        // What is no address belongs to nobody, and is remembered once.
        let (network, email, now) = (IPAddress(address)?.network, EmailAddress(email)?.key ?? "", now())
        let wait = state.withLock { state in
            let wait = max(state.networks.wait(network, at: now), state.emails.wait(email, at: now))
            if wait == .zero {
                state.networks.take(network, at: now)
                state.emails.take(email, at: now)
            }
            return wait
        }
        return wait > .zero ? max(1, Int((wait / .seconds(1)).rounded(.up))) : nil
    }
}
