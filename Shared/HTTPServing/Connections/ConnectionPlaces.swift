internal import NIOCore
internal import Synchronization

/// The connections that a server has, bounded over all and for each address, so that one address cannot keep the others
/// out. Any thread.
///
/// Of IPv6 the network counts, not the address (``IPAddress/network``). Connections of the proxies in front of the server,
/// and those without an address, are bounded over all only.
///
/// A connection is idle while no request is under way on it. When there is no place, the connection that has been idle for
/// longest is closed for the new one: of the same address when that one has as many as it may, otherwise of the address
/// that has the most. A new connection is refused only when none is idle.
///
/// To take a place costs a short lock; when all are in use, also a look at each connection.
package final class ConnectionPlaces: Sendable {
    /// One connection's place.
    package final class Place: Sendable {
        private static let busy = UInt64.max
        private static let withdrawn = UInt64.max - 1

        fileprivate let network: IPAddress?
        fileprivate let close: @Sendable () -> Void
        /// Since when it is idle, in nanoseconds of `NIODeadline`; or one of the two constants above.
        private let state = Atomic(NIODeadline.now().uptimeNanoseconds)

        fileprivate init(_ network: IPAddress?, _ close: @escaping @Sendable () -> Void) {
            self.network = network
            self.close = close
        }

        /// Notes that a request is under way.
        ///
        /// - Returns: false when the connection is being closed for another one.
        package func setBusy() -> Bool {
            let state = state.load(ordering: .relaxed)
            guard state != Self.withdrawn else { return false }
            guard state != Self.busy else { return true }
            return self.state.compareExchange(expected: state, desired: Self.busy, ordering: .relaxed).exchanged
        }

        /// Notes that no request is under way any more.
        package func setIdle() {
            let now = NIODeadline.now().uptimeNanoseconds
            _ = state.compareExchange(expected: Self.busy, desired: now, ordering: .relaxed)
        }

        /// Nil while it is not idle.
        fileprivate var idleSince: UInt64? {
            let state = state.load(ordering: .relaxed)
            return state < Self.withdrawn ? state : nil
        }

        /// False when it is not idle since then any more.
        fileprivate func withdraw(idleSince: UInt64) -> Bool {
            state.compareExchange(expected: idleSince, desired: Self.withdrawn, ordering: .relaxed).exchanged
        }
    }

    private struct State {
        var count = 0
        /// By network; nil: those that are bounded over all only.
        var groups: [IPAddress?: [ObjectIdentifier: Place]] = [:]
    }

    private let maxCount: Int
    private let maxPerAddress: Int
    private let proxies: [AddressRange]
    private let metrics: ConnectionMetrics
    private let state = Mutex(State())

    /// - Parameters:
    ///   - maxCount: connections at once.
    ///   - maxPerAddress: of one address.
    ///   - proxies: whose connections are other clients'.
    package init(_ maxCount: Int, perAddress maxPerAddress: Int, proxies: [AddressRange], metrics: ConnectionMetrics) {
        self.maxCount = maxCount
        self.maxPerAddress = maxPerAddress
        self.proxies = proxies
        self.metrics = metrics
        metrics.onScrape { [weak self] in self?.count ?? 0 }
    }

    /// Connections now.
    package var count: Int { state.withLock { $0.count } }

    /// Takes a place for a new connection, idle at first.
    ///
    /// - Parameters:
    ///   - peer: the connection's address; nil when it has none.
    ///   - close: closes the connection; called at most once, on any thread, when another one gets the place.
    /// - Returns: nil when there is no place.
    package func take(for peer: String?, closing close: @escaping @Sendable () -> Void) -> Place? {
        let place = Place(network(of: peer), close)
        let former: Place?
        switch state.withLock({ enter(place, &$0) }) {
        case .room: former = nil
        case .roomOf(let other): former = other
        case .none(let reason):
            metrics.count(reason)
            return nil
        }
        if let former {
            metrics.count(.replaced)
            former.close()
        }
        return place
    }

    /// Gives a place back, once its connection is gone.
    package func giveBack(_ place: Place) { state.withLock { Self.remove(place, &$0) } }

    private enum Entry {
        case room
        /// The room of a place that was withdrawn for it.
        case roomOf(Place)
        case none(ConnectionMetrics.Closing)
    }

    private func enter(_ place: Place, _ state: inout State) -> Entry {
        var former: Place?
        if place.network != nil, let group = state.groups[place.network], group.count >= maxPerAddress {
            former = Self.withdrawn(in: [group])
            guard former != nil else { return .none(.address) }
        } else if state.count >= maxCount {
            // Connections of proxies last: each is many clients'.
            former =
                Self.withdrawn(in: state.groups.compactMap { $0.key == nil ? nil : $0.value })
                ?? Self.withdrawn(in: state.groups.compactMap { $0.key == nil ? $0.value : nil })
            guard former != nil else { return .none(.full) }
        }
        if let former { Self.remove(former, &state) }
        state.groups[place.network, default: [:]][ObjectIdentifier(place)] = place
        state.count += 1
        return former.map { .roomOf($0) } ?? .room
    }

    private func network(of peer: String?) -> IPAddress? {
        guard let address = peer.flatMap({ IPAddress($0) }), !proxies.contains(where: { $0.contains(address) }) else {
            return nil
        }
        return address.network
    }

    /// Withdraws the place that was idle for longest, of the largest group that has an idle one.
    private static func withdrawn(in groups: [[ObjectIdentifier: Place]]) -> Place? {
        while true {
            var best: (place: Place, since: UInt64, size: Int)?
            for group in groups where group.count >= best?.size ?? 1 {
                for place in group.values {
                    guard let since = place.idleSince else { continue }
                    if let best, best.size == group.count, best.since <= since { continue }
                    best = (place, since, group.count)
                }
            }
            guard let best else { return nil }
            // A request may have come in this moment.
            if best.place.withdraw(idleSince: best.since) { return best.place }
        }
    }

    /// Nothing when it was removed before.
    private static func remove(_ place: Place, _ state: inout State) {
        guard state.groups[place.network]?.removeValue(forKey: ObjectIdentifier(place)) != nil else { return }
        if state.groups[place.network]?.isEmpty == true { state.groups[place.network] = nil }
        state.count -= 1
    }
}
