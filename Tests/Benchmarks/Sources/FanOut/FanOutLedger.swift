internal import AMQPClient
internal import CloudKitWire
internal import Synchronization

/// Counts notifications until the expected number has arrived.
final class FanOutLedger: Sendable {
    private struct State {
        var received = 0
        /// The number of the last change in each queue.
        var reached: [String: Int64] = [:]
        /// The messages of one queue, to be published again.
        var messages: [AMQPDelivery] = []
        var isDone: @Sendable (Int, [String: Int64]) -> Bool = { _, _ in false }
        var waiter: CheckedContinuation<Int, Never>?
    }

    private let state = Mutex(State())
    /// The queue whose messages are stored.
    private let kept: String

    init(keeping queue: String) { kept = queue }

    /// The messages that arrived in the stored queue since ``begin()``.
    var messages: [AMQPDelivery] { state.withLock(\.messages) }

    /// Discards all counts and messages.
    func begin() { state.withLock { $0 = State() } }

    /// Waits until `isDone` returns true for the number of notifications and the last change of each queue. Returns the
    /// number.
    func wait(until isDone: @escaping @Sendable (Int, [String: Int64]) -> Bool) async -> Int {
        await withCheckedContinuation { continuation in
            let count = state.withLock { state -> Int? in
                guard !isDone(state.received, state.reached) else { return state.received }
                (state.isDone, state.waiter) = (isDone, continuation)
                return nil
            }
            if let count { continuation.resume(returning: count) }
        }
    }

    /// Records deliveries.
    func take(_ deliveries: [AMQPDelivery]) {
        let waiting = state.withLock { state -> (CheckedContinuation<Int, Never>, Int)? in
            for delivery in deliveries {
                state.received += 1
                if let seq = Self.toSeq(delivery.body) { state.reached[delivery.queue] = seq }
                if delivery.queue == kept { state.messages.append(delivery) }
            }
            guard let waiter = state.waiter, state.isDone(state.received, state.reached) else { return nil }
            state.waiter = nil
            return (waiter, state.received)
        }
        if let (waiter, count) = waiting { waiter.resume(returning: count) }
    }

    /// Returns the number after `"toSeq":`, without parsing the rest.
    private static func toSeq(_ body: [UInt8]) -> Int64? {
        let key = Array(#""toSeq":"#.utf8)
        guard let start = body.firstRange(of: key)?.upperBound else { return nil }
        var number: Int64 = 0
        for byte in body[start...].prefix(while: { (0x30...0x39).contains($0) }) {
            number = number * 10 + Int64(byte - 0x30)
        }
        return number
    }
}
