internal import GatewayStorage
internal import HTTPServing
internal import RequestServing
internal import Synchronization

/// Bounds how many wrong passwords may be tried: from one address, for one e-mail address from one network, and for one
/// e-mail address from anywhere, which is loose, since strangers can use it up. In each instance's memory, as `Throttle`.
///
/// A try takes its place before its password is checked, so that many at once do not pass, and gives it back when the
/// password was right or was not checked. A browser that the account has signed in with (``DeviceCookie``) has places of its
/// own and needs none of the others: no stranger can use those up.
final class SignInThrottle: Sendable {
    /// An e-mail address, tried from a network: the first 24 bits of an IPv4 address, 64 of an IPv6 one.
    fileprivate struct Neighbourhood: Hashable {
        var email: String
        var network: [UInt8]
    }

    fileprivate struct Device: Hashable {
        var email: String
        var id: [UInt8]
    }

    /// A try that was let pass.
    struct Try: Sendable {
        fileprivate var address: IPAddress?
        fileprivate var neighbourhood: Neighbourhood
        fileprivate var device: Device?
    }

    /// Whether a try may pass.
    enum Verdict: Sendable {
        case passes(Try)
        /// After so many whole seconds it may.
        case waits(Int)
    }

    private struct State {
        /// By network: an IPv6 address comes with 2⁶⁴ of them.
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

    /// Whether a password may be tried.
    ///
    /// - Parameter device: the browser's id, if it is known to the account.
    func admit(address: String, email: String, device: [UInt8]? = nil) -> Verdict {
        // What is no address belongs to nobody, and is remembered once.
        let (address, email, now) = (IPAddress(address), EmailAddress(email)?.key ?? "", now())
        let network = address.map { Array($0.bytes.prefix($0.isIPv4 ? 15 : 8)) } ?? []
        let attempt = Try(
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
        return wait > .zero ? .waits(max(1, Int((wait / .seconds(1)).rounded(.up)))) : .passes(attempt)
    }

    /// The password was right, or was not checked: the try does not count.
    func discount(_ attempt: Try) {
        let now = now()
        state.withLock { state in
            if let device = attempt.device { return state.devices.giveBack(device, at: now) }
            state.addresses.giveBack(attempt.address, at: now)
            state.neighbourhoods.giveBack(attempt.neighbourhood, at: now)
            state.emails.giveBack(attempt.neighbourhood.email, at: now)
        }
    }
}
