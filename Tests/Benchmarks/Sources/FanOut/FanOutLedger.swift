internal import AMQPClient
internal import CloudKitWire
internal import Synchronization

/// Counts the notifications that come, until as many have come as are waited for.
final class FanOutLedger: Sendable {
    private struct State {
        var received = 0
        /// The number of the last change that each queue has heard of.
        var reached: [String: Int64] = [:]
        /// Those of one queue, to be published again.
        var messages: [AMQPDelivery] = []
        var isDone: @Sendable (Int, [String: Int64]) -> Bool = { _, _ in false }
        var waiter: CheckedContinuation<Int, Never>?
    }

    private let state = Mutex(State())
    /// The queue whose messages are kept.
    private let kept: String

    init(keeping queue: String) { kept = queue }

    /// What the queue that is kept got since the last time.
    var messages: [AMQPDelivery] { state.withLock(\.messages) }

    /// Forgets what has come.
    func begin() { state.withLock { $0 = State() } }

    /// Waits until `isDone` of the number that has come and of how far each queue is, and returns that number.
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

    /// Takes what has come.
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

    /// The number after `"toSeq":`, without reading the rest.
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
