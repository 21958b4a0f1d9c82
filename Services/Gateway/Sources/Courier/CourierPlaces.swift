internal import AMQPClient
internal import CloudKitModel
internal import CoreMetrics
internal import ServiceRuntime
internal import Synchronization

/// How many polls and streams there may be, of all clients and of one, and the end of all of them.
final class CourierPlaces: Sendable {
    private struct State {
        var count = 0
        var counts: [String: Int] = [:]
        var listeners: [ObjectIdentifier: AMQPReading] = [:]
        var isClosed = false
    }

    private let max: Int
    private let maxPerClient: Int
    private let metrics: CourierMetrics
    private let state = Mutex(State())

    /// Room for `max` in all and `maxPerClient` of each client.
    init(max: Int, maxPerClient: Int, metrics: CourierMetrics) {
        (self.max, self.maxPerClient, self.metrics) = (max, maxPerClient, metrics)
    }

    /// Takes a place for the client of that name; its release gives it back.
    ///
    /// - Throws: `too_many_polls`, `service_ending`.
    func take(_ client: String, _ kind: CourierMetrics.Kind) throws(ServerError) -> CourierPlace {
        try state.withLock { state throws(ServerError) in
            guard !state.isClosed else { throw .gatewayEnding() }
            let own = state.counts[client, default: 0]
            guard own < maxPerClient else { throw .tooManyPolls("of this client", limit: maxPerClient) }
            guard state.count < max else { throw .tooManyPolls("at this gateway", limit: max) }
            state.count += 1
            state.counts[client] = own + 1
        }
        metrics.listening[kind].increment()
        return CourierPlace(self, client, kind)
    }

    /// Ends all polls and streams, and takes no more.
    func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            return Array(state.listeners.values)
        }
        for reading in listeners { reading.stop() }
    }

    fileprivate func attach(_ reading: AMQPReading, to place: CourierPlace) {
        let isClosed = state.withLock { state in
            state.listeners[ObjectIdentifier(place)] = reading
            return state.isClosed
        }
        if isClosed { reading.stop() }
    }

    fileprivate func detach(_ place: CourierPlace) {
        // Released outside of the lock.
        _ = state.withLock { $0.listeners.removeValue(forKey: ObjectIdentifier(place)) }
    }

    fileprivate func giveBack(_ client: String, _ kind: CourierMetrics.Kind) {
        state.withLock { state in
            state.count -= 1
            let own = state.counts[client, default: 1] - 1
            state.counts[client] = own == 0 ? nil : own
        }
        metrics.listening[kind].decrement()
    }
}

/// A place of ``CourierPlaces``, as long as it lives.
final class CourierPlace: Sendable {
    private let places: CourierPlaces
    private let client: String
    private let kind: CourierMetrics.Kind

    fileprivate init(_ places: CourierPlaces, _ client: String, _ kind: CourierMetrics.Kind) {
        (self.places, self.client, self.kind) = (places, client, kind)
    }

    deinit { places.giveBack(client, kind) }

    /// Has the end of all polls stop `reading`, until ``detach()``.
    func attach(_ reading: AMQPReading) { places.attach(reading, to: self) }

    /// `reading` is over.
    func detach() { places.detach(self) }
}

extension ServerError {
    fileprivate static func tooManyPolls(_ whose: String, limit: Int) -> ServerError {
        ServerError(
            .tooManyPolls, "There are \(limit) polls and streams \(whose), which is the most", field: "tok",
            limit: limit)
    }
}
