internal import NIOCore
internal import Synchronization

/// Limits the number of connections to a server, in total and per address, so that one address cannot use up all
/// connections. Thread-safe.
///
/// For IPv6, the limit applies to the network instead of the address (``IPAddress/network``). Connections from the
/// proxies in front of the server, and connections without an address, count only towards the total.
///
/// A connection is idle while no request is in progress on it. If no permits are left for a new connection, the server
/// closes the connection that has been idle the longest. If the new connection's address has reached its limit, only
/// connections from that address are considered; otherwise, those from the address with the most connections are
/// considered first. The new connection is refused only if all of the connections considered are busy.
///
/// Taking a permit requires a brief lock and, if no permits are left, a scan of all connections.
package final class ConnectionPermits: Sendable {
    /// The permit of one connection.
    package final class Permit: Sendable {
        private static let busy = UInt64.max
        private static let withdrawn = UInt64.max - 1

        fileprivate let network: IPAddress?
        fileprivate let close: @Sendable () -> Void
        /// The time at which the connection became idle, in nanoseconds of `NIODeadline`, or one of the two constants
        /// above.
        private let state = Atomic(NIODeadline.now().uptimeNanoseconds)

        fileprivate init(_ network: IPAddress?, _ close: @escaping @Sendable () -> Void) {
            self.network = network
            self.close = close
        }

        /// Records that a request is in progress.
        ///
        /// - Returns: false if the connection is being closed to make room for another connection.
        package func setBusy() -> Bool {
            let state = state.load(ordering: .relaxed)
            guard state != Self.withdrawn else { return false }
            guard state != Self.busy else { return true }
            return self.state.compareExchange(expected: state, desired: Self.busy, ordering: .relaxed).exchanged
        }

        /// Records that no request is in progress any longer.
        package func setIdle() {
            let now = NIODeadline.now().uptimeNanoseconds
            _ = state.compareExchange(expected: Self.busy, desired: now, ordering: .relaxed)
        }

        /// The time at which the connection became idle; nil while it is not idle.
        fileprivate var idleSince: UInt64? {
            let state = state.load(ordering: .relaxed)
            return state < Self.withdrawn ? state : nil
        }

        /// Withdraws the permit. Returns false if the connection has not been idle since `idleSince`.
        fileprivate func withdraw(idleSince: UInt64) -> Bool {
            state.compareExchange(expected: idleSince, desired: Self.withdrawn, ordering: .relaxed).exchanged
        }
    }

    private struct State {
        var count = 0
        /// The permits by network. The key nil contains the connections that count only towards the total.
        var groups: [IPAddress?: [ObjectIdentifier: Permit]] = [:]
    }

    private let maxCount: Int
    private let maxPerAddress: Int
    private let proxies: [AddressRange]
    private let metrics: ConnectionMetrics
    private let state = Mutex(State())

    /// Creates the permits of a server.
    ///
    /// - Parameters:
    ///   - maxCount: the maximum number of concurrent connections.
    ///   - maxPerAddress: the maximum number of concurrent connections from one address.
    ///   - proxies: the proxies in front of the server, whose connections carry the requests of many clients.
    package init(_ maxCount: Int, perAddress maxPerAddress: Int, proxies: [AddressRange], metrics: ConnectionMetrics) {
        self.maxCount = maxCount
        self.maxPerAddress = maxPerAddress
        self.proxies = proxies
        self.metrics = metrics
        metrics.onScrape { [weak self] in self?.count ?? 0 }
    }

    /// The current number of connections.
    package var count: Int { state.withLock { $0.count } }

    /// Takes a permit for a new connection, which is idle at first.
    ///
    /// - Parameters:
    ///   - peer: the address of the client; nil if the connection has none.
    ///   - close: closes the connection; called at most once, on any thread, when another connection needs the permit.
    /// - Returns: the permit; nil if the connection is refused.
    package func take(for peer: String?, closing close: @escaping @Sendable () -> Void) -> Permit? {
        let permit = Permit(network(of: peer), close)
        let former: Permit?
        switch state.withLock({ enter(permit, &$0) }) {
        case .granted: former = nil
        case .replacing(let other): former = other
        case .refused(let reason):
            metrics.count(reason)
            return nil
        }
        if let former {
            metrics.count(.replaced)
            former.close()
        }
        return permit
    }

    /// Releases a permit after its connection has closed.
    package func giveBack(_ permit: Permit) { state.withLock { Self.remove(permit, &$0) } }

    private enum Entry {
        case granted
        /// The new connection replaces an idle connection, whose permit was withdrawn.
        case replacing(Permit)
        case refused(ConnectionMetrics.Closing)
    }

    private func enter(_ permit: Permit, _ state: inout State) -> Entry {
        var former: Permit?
        if permit.network != nil, let group = state.groups[permit.network], group.count >= maxPerAddress {
            former = Self.withdrawn(in: [group])
            guard former != nil else { return .refused(.address) }
        } else if state.count >= maxCount {
            // Connections from proxies are considered last, because each of them carries the requests of many clients.
            former =
                Self.withdrawn(in: state.groups.compactMap { $0.key == nil ? nil : $0.value })
                ?? Self.withdrawn(in: state.groups.compactMap { $0.key == nil ? $0.value : nil })
            guard former != nil else { return .refused(.full) }
        }
        if let former { Self.remove(former, &state) }
        state.groups[permit.network, default: [:]][ObjectIdentifier(permit)] = permit
        state.count += 1
        return former.map { .replacing($0) } ?? .granted
    }

    private func network(of peer: String?) -> IPAddress? {
        guard let address = peer.flatMap({ IPAddress($0) }), !proxies.contains(where: { $0.contains(address) }) else {
            return nil
        }
        return address.network
    }

    /// In the largest group that has an idle permit, withdraws the permit that has been idle the longest.
    private static func withdrawn(in groups: [[ObjectIdentifier: Permit]]) -> Permit? {
        while true {
            var best: (permit: Permit, since: UInt64, size: Int)?
            for group in groups where group.count >= best?.size ?? 1 {
                for permit in group.values {
                    guard let since = permit.idleSince else { continue }
                    if let best, best.size == group.count, best.since <= since { continue }
                    best = (permit, since, group.count)
                }
            }
            guard let best else { return nil }
            // The withdrawal fails if a request has arrived in the meantime.
            if best.permit.withdraw(idleSince: best.since) { return best.permit }
        }
    }

    /// Removes a permit. Has no effect if the permit has already been removed.
    private static func remove(_ permit: Permit, _ state: inout State) {
        guard state.groups[permit.network]?.removeValue(forKey: ObjectIdentifier(permit)) != nil else { return }
        if state.groups[permit.network]?.isEmpty == true { state.groups[permit.network] = nil }
        state.count -= 1
    }
}
