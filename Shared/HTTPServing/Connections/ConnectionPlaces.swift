internal import NIOCore
internal import Synchronization

/// Limits the connections of a server, in total and per address, so that one address cannot exclude the others. It may
/// be used from any thread.
///
/// For IPv6 the limit applies to the network instead of the address (``IPAddress/network``). Connections from the
/// proxies in front of the server, and those without an address, count towards the total only.
///
/// A connection is idle while no request is in progress on it. When there is no free place, the connection that has
/// been idle for longest is closed in favour of the new one: a connection of the same address if that address has
/// reached its limit, otherwise one of the address with the most connections. A new connection is refused only when
/// none of these is idle.
///
/// Taking a place costs a short lock; when all places are taken, it also costs a look at each connection.
package final class ConnectionPlaces: Sendable {
    /// The place of one connection.
    package final class Place: Sendable {
        private static let busy = UInt64.max
        private static let withdrawn = UInt64.max - 1

        fileprivate let network: IPAddress?
        fileprivate let close: @Sendable () -> Void
        /// The time since which the connection is idle, in nanoseconds of `NIODeadline`, or one of the two constants
        /// above.
        private let state = Atomic(NIODeadline.now().uptimeNanoseconds)

        fileprivate init(_ network: IPAddress?, _ close: @escaping @Sendable () -> Void) {
            self.network = network
            self.close = close
        }

        /// Records that a request is in progress.
        ///
        /// - Returns: false when the connection is being closed in favour of another.
        package func setBusy() -> Bool {
            let state = state.load(ordering: .relaxed)
            guard state != Self.withdrawn else { return false }
            guard state != Self.busy else { return true }
            return self.state.compareExchange(expected: state, desired: Self.busy, ordering: .relaxed).exchanged
        }

        /// Records that no request is in progress any more.
        package func setIdle() {
            let now = NIODeadline.now().uptimeNanoseconds
            _ = state.compareExchange(expected: Self.busy, desired: now, ordering: .relaxed)
        }

        /// The time since which the connection is idle; nil while it is not idle.
        fileprivate var idleSince: UInt64? {
            let state = state.load(ordering: .relaxed)
            return state < Self.withdrawn ? state : nil
        }

        /// Withdraws the place; false if the connection is no longer idle since that time.
        fileprivate func withdraw(idleSince: UInt64) -> Bool {
            state.compareExchange(expected: idleSince, desired: Self.withdrawn, ordering: .relaxed).exchanged
        }
    }

    private struct State {
        var count = 0
        /// The places by network; nil holds the connections that count towards the total only.
        var groups: [IPAddress?: [ObjectIdentifier: Place]] = [:]
    }

    private let maxCount: Int
    private let maxPerAddress: Int
    private let proxies: [AddressRange]
    private let metrics: ConnectionMetrics
    private let state = Mutex(State())

    /// Creates the places of a server.
    ///
    /// - Parameters:
    ///   - maxCount: the largest number of concurrent connections.
    ///   - maxPerAddress: the largest number from one address.
    ///   - proxies: the proxies, whose connections carry the requests of other clients.
    package init(_ maxCount: Int, perAddress maxPerAddress: Int, proxies: [AddressRange], metrics: ConnectionMetrics) {
        self.maxCount = maxCount
        self.maxPerAddress = maxPerAddress
        self.proxies = proxies
        self.metrics = metrics
        metrics.onScrape { [weak self] in self?.count ?? 0 }
    }

    /// The current number of connections.
    package var count: Int { state.withLock { $0.count } }

    /// Takes a place for a new connection, which is idle at first.
    ///
    /// - Parameters:
    ///   - peer: the address of the client; nil when the connection has none.
    ///   - close: closes the connection; called at most once, on any thread, when another connection gets the place.
    /// - Returns: the place; nil when there is none.
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

    /// Releases a place after its connection has closed.
    package func giveBack(_ place: Place) { state.withLock { Self.remove(place, &$0) } }

    private enum Entry {
        case room
        /// The place of a connection that was withdrawn for the new one.
        case roomOf(Place)
        case none(ConnectionMetrics.Closing)
    }

    private func enter(_ place: Place, _ state: inout State) -> Entry {
        var former: Place?
        if place.network != nil, let group = state.groups[place.network], group.count >= maxPerAddress {
            former = Self.withdrawn(in: [group])
            guard former != nil else { return .none(.address) }
        } else if state.count >= maxCount {
            // Connections of proxies come last, since each carries many clients.
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

    /// Withdraws the place that has been idle for longest in the largest group that has an idle place.
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
            // A request may have arrived in the meantime.
            if best.place.withdraw(idleSince: best.since) { return best.place }
        }
    }

    /// Removes a place; has no effect if it was removed before.
    private static func remove(_ place: Place, _ state: inout State) {
        guard state.groups[place.network]?.removeValue(forKey: ObjectIdentifier(place)) != nil else { return }
        if state.groups[place.network]?.isEmpty == true { state.groups[place.network] = nil }
        state.count -= 1
    }
}
