internal import Glibc
internal import RequestServing
internal import Synchronization

/// Bounds how many passwords are tried from one address, and for one e-mail address from anywhere. In each instance's
/// memory, as `Throttle`. Every try counts, also one with the right password: it is over before that is known.
final class SignInThrottle: Sendable {
    private struct State {
        var addresses: TokenBuckets<String>
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
                addresses: TokenBuckets(configuration.addressRate), emails: TokenBuckets(configuration.emailRate)))
        self.now = now
    }

    /// Lets a try pass and returns nil, or the whole seconds after which there may be one.
    func admit(address: String, email: String) -> Int? {
        // What is no address belongs to nobody, and is remembered once.
        let (network, email, now) = (Self.network(of: address), EmailAddress(email)?.key ?? "", now())
        let wait = state.withLock { state in
            let wait = max(state.addresses.wait(network, at: now), state.emails.wait(email, at: now))
            if wait == .zero {
                state.addresses.take(network, at: now)
                state.emails.take(email, at: now)
            }
            return wait
        }
        return wait > .zero ? max(1, Int((wait / .seconds(1)).rounded(.up))) : nil
    }

    /// An IPv6 address's first 64 bits, since whoever has one has all of its network; other addresses as they are.
    static func network(of address: String) -> String {
        var bytes = in6_addr()
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
        let groups = withUnsafeBytes(of: bytes) { Array($0) }
        // An IPv4 address in the clothes of one of IPv6 is one machine.
        guard groups.prefix(12) != [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] else {
            return groups.suffix(4).map(String.init).joined(separator: ".")
        }
        return groups.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
    }
}
