internal import AMQPClient
internal import CloudKitModel
internal import CoreMetrics
internal import ServiceRuntime
internal import Synchronization

/// Limits the number of concurrent polls and streams, in total and per client, and ends all of them at shutdown.
final class CourierPermits: Sendable {
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

    /// Creates permits for at most `max` polls and streams in total, and `maxPerClient` per client.
    init(max: Int, maxPerClient: Int, metrics: CourierMetrics) {
        (self.max, self.maxPerClient, self.metrics) = (max, maxPerClient, metrics)
    }

    /// Takes a permit for a client. The permit is given back when the returned object is released.
    ///
    /// - Throws: `too_many_polls` or `service_ending`.
    func take(_ client: String, _ kind: CourierMetrics.Kind) throws(ServerError) -> CourierPermit {
        try state.withLock { state throws(ServerError) in
            guard !state.isClosed else { throw .gatewayEnding() }
            let own = state.counts[client, default: 0]
            guard own < maxPerClient else { throw .tooManyPolls("for this client", limit: maxPerClient) }
            guard state.count < max else { throw .tooManyPolls("at this gateway", limit: max) }
            state.count += 1
            state.counts[client] = own + 1
        }
        metrics.listening[kind].increment()
        return CourierPermit(self, client, kind)
    }

    /// Ends all polls and streams, and admits no new ones.
    func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            return Array(state.listeners.values)
        }
        for reading in listeners { reading.stop() }
    }

    fileprivate func attach(_ reading: AMQPReading, to permit: CourierPermit) {
        let isClosed = state.withLock { state in
            state.listeners[ObjectIdentifier(permit)] = reading
            return state.isClosed
        }
        if isClosed { reading.stop() }
    }

    fileprivate func detach(_ permit: CourierPermit) {
        // The ``AMQPReading`` is released outside the lock.
        _ = state.withLock { $0.listeners.removeValue(forKey: ObjectIdentifier(permit)) }
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

/// A permit for a poll or a stream. It is held as long as the object lives.
final class CourierPermit: Sendable {
    private let permits: CourierPermits
    private let client: String
    private let kind: CourierMetrics.Kind

    fileprivate init(_ permits: CourierPermits, _ client: String, _ kind: CourierMetrics.Kind) {
        (self.permits, self.client, self.kind) = (permits, client, kind)
    }

    deinit { permits.giveBack(client, kind) }

    /// Attaches an ``AMQPReading``. ``CourierPermits/close()`` stops it, unless ``detach()`` has been called first.
    func attach(_ reading: AMQPReading) { permits.attach(reading, to: self) }

    /// Detaches the ``AMQPReading`` after it has ended.
    func detach() { permits.detach(self) }
}

extension ServerError {
    fileprivate static func tooManyPolls(_ owner: String, limit: Int) -> ServerError {
        ServerError(
            .tooManyPolls, "The maximum of \(limit) polls and streams \(owner) has been reached", field: "tok",
            limit: limit)
    }
}
