internal import HTTPServing
internal import HTTPTypes
internal import Logging
internal import Synchronization

/// Detects that all clients seem to have the same address. The cause is a proxy or a container engine's bridge that
/// forwards their requests but is not listed in `http.trustedProxies`. All clients then share the limits for one
/// address.
///
/// It examines only the first requests, and logs one warning.
final class PeerWatch: Sendable {
    /// The number of requests that are examined.
    static let sample = 200

    private struct State {
        var peer: String?
        var count = 0
        var hasForwarding = false
    }

    private static let privateRanges = [
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16", "fc00::/7", "fe80::/10",
    ].compactMap { AddressRange($0) }
    private static let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }

    private let isSettled: Atomic<Bool>
    private let state = Mutex(State())
    private let logger: Logger

    /// Creates a watch. It does nothing if `hasProxies` is true.
    init(hasProxies: Bool, logger: Logger) {
        isSettled = Atomic(hasProxies)
        self.logger = logger
    }

    /// Counts a request.
    func note(peer: String, _ headers: HTTPFields) {
        guard !isSettled.load(ordering: .relaxed) else { return }
        let found = state.withLock { state -> State? in
            guard state.peer == nil || state.peer == peer else {
                isSettled.store(true, ordering: .relaxed)
                return nil
            }
            state.peer = peer
            state.count += 1
            if Self.isForwarded(headers) { state.hasForwarding = true }
            guard state.count == Self.sample else { return nil }
            isSettled.store(true, ordering: .relaxed)
            return state
        }
        guard let found, let address = IPAddress(peer) else { return }
        let isLoopback = Self.loopback.contains { $0.contains(address) }
        let isPrivate = Self.privateRanges.contains { $0.contains(address) }
        guard isPrivate || isLoopback && found.hasForwarding else { return }
        logger.warning(
            "all requests come from one private address; add the proxy to http.trustedProxies, or all clients will share the limits for one address",
            metadata: ["address": "\(peer)"])
    }

    private static func isForwarded(_ headers: HTTPFields) -> Bool {
        [TrustedProxies.Field.forwarded, .forwardedFor].contains { field in
            HTTPField.Name(field.rawValue).map { headers[$0] != nil } ?? false
        }
    }
}
