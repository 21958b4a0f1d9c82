import AMQPClient
import ServiceMessages
import Synchronization

/// Picks some keys' notifications from the log. A new connection begins where the first one did: what came before is
/// passed over.
final class LogReader: Sendable {
    private static let offsetHeader = "x-stream-offset"

    private let keys: Set<String>
    private let last = Mutex<Int64>(-1)

    /// A reader of the notifications under these routing keys.
    init(keys: Set<String>) { self.keys = keys }

    /// Whether a delivery is one of these and has not come before.
    func isWanted(_ delivery: AMQPDelivery) -> Bool {
        guard let offset = delivery.properties.headers.int64(Self.offsetHeader) else { return false }
        let isNew = last.withLock { last in
            defer { last = max(last, offset) }
            return offset > last
        }
        return isNew && delivery.exchange == Exchange.notifications && keys.contains(delivery.routingKey)
    }
}
