internal import GatewayStorage
internal import HTTPServing
internal import RequestServing
internal import Synchronization

/// Limits wrong passwords: from one address, for one email address from one network, and for one email address in
/// total. The last limit is high, because strangers can exhaust it. Each instance keeps its own counts in memory, as in
/// `Throttle`.
///
/// An attempt takes its tokens before the password is checked, so that concurrent attempts do not exceed the limit. It
/// gives them back if the password was correct or was not checked. If the account has signed in with this browser
/// before (``DeviceCookie``), one separate limit replaces the others. Strangers cannot exhaust that limit.
final class SignInThrottle: Sendable {
    /// An email address, and the network from which a sign-in with that address is attempted: the first 24 bits of an
    /// IPv4 address, or the first 64 bits of an IPv6 address.
    fileprivate struct Neighbourhood: Hashable {
        var email: String
        var network: [UInt8]
    }

    fileprivate struct Device: Hashable {
        var email: String
        var id: [UInt8]
    }

    /// An attempt that was admitted.
    struct Attempt: Sendable {
        fileprivate var address: IPAddress?
        fileprivate var neighbourhood: Neighbourhood
        fileprivate var device: Device?
    }

    /// Whether an attempt is admitted.
    enum Verdict: Sendable {
        case admitted(Attempt)
        /// The client has to wait for this number of seconds.
        case waits(Int)
    }

    private struct State {
        /// Attempts by network, because a client with IPv6 has 2⁶⁴ addresses.
        var addresses: TokenBuckets<IPAddress?>
        var neighbourhoods: TokenBuckets<Neighbourhood>
        var emails: TokenBuckets<String>
        var devices: TokenBuckets<Device>
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> ContinuousClock.Instant

    init(
        _ configuration: SignInConfiguration,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        state = Mutex(
            State(
                addresses: TokenBuckets(configuration.addressRate),
                neighbourhoods: TokenBuckets(configuration.emailRate),
                emails: TokenBuckets(configuration.accountRate), devices: TokenBuckets(configuration.emailRate)))
        self.now = now
    }

    /// Admits an attempt, or returns how long the client has to wait.
    ///
    /// - Parameter device: the id of the browser, if the account has signed in with this browser before.
    func admit(address: String, email: String, device: [UInt8]? = nil) -> Verdict {
        // All invalid addresses count as one.
        let (address, email, now) = (IPAddress(address), EmailAddress(email)?.key ?? "", now())
        let network = address.map { Array($0.bytes.prefix($0.isIPv4 ? 15 : 8)) } ?? []
        let attempt = Attempt(
            address: address?.network, neighbourhood: Neighbourhood(email: email, network: network),
            device: device.map { Device(email: email, id: $0) })
        let wait = state.withLock { state -> Duration in
            if let device = attempt.device {
                let wait = state.devices.wait(device, at: now)
                if wait == .zero { state.devices.take(device, at: now) }
                return wait
            }
            let wait = max(
                state.addresses.wait(attempt.address, at: now),
                state.neighbourhoods.wait(attempt.neighbourhood, at: now), state.emails.wait(email, at: now))
            if wait == .zero {
                state.addresses.take(attempt.address, at: now)
                state.neighbourhoods.take(attempt.neighbourhood, at: now)
                state.emails.take(email, at: now)
            }
            return wait
        }
        return wait > .zero ? .waits(max(1, Int((wait / .seconds(1)).rounded(.up)))) : .admitted(attempt)
    }

    /// Gives back the tokens of an attempt whose password was correct or was not checked.
    func discount(_ attempt: Attempt) {
        let now = now()
        state.withLock { state in
            if let device = attempt.device { return state.devices.giveBack(device, at: now) }
            state.addresses.giveBack(attempt.address, at: now)
            state.neighbourhoods.giveBack(attempt.neighbourhood, at: now)
            state.emails.giveBack(attempt.neighbourhood.email, at: now)
        }
    }
}
