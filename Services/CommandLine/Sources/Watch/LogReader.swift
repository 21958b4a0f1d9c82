import AMQPClient
import ServiceMessages
import Synchronization

/// Selects the notifications in the log whose routing key is in a given set. A new connection starts at the same offset
/// as the first one, so notifications that have already been received are skipped.
final class LogReader: Sendable {
    private static let offsetHeader = "x-stream-offset"

    private let keys: Set<String>
    private let last = Mutex<Int64>(-1)

    /// Creates a reader of the notifications with these routing keys.
    init(keys: Set<String>) { self.keys = keys }

    /// Returns whether a delivery has one of the keys and has not been received before.
    func isWanted(_ delivery: AMQPDelivery) -> Bool {
        guard let offset = delivery.properties.headers.int64(Self.offsetHeader) else { return false }
        let isNew = last.withLock { last in
            defer { last = max(last, offset) }
            return offset > last
        }
        return isNew && delivery.exchange == Exchange.notifications && keys.contains(delivery.routingKey)
    }
}
