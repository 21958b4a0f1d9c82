internal import AMQPClient
internal import CloudKitWire
internal import ServiceMessages

/// A page of a replay that is being read from the log.
struct ReplayPage: Sendable {
    /// The header that contains a delivery's offset in its stream.
    static let offsetHeader = "x-stream-offset"
    /// The maximum total size of a page's notifications, in bytes. The first notification always fits.
    static let maxBytes = 4 << 20

    private let grant: ConsumerGrant
    private let wanted: Set<String>?
    private let limit: Int
    private let start: ReplayRequest.Start
    private var bytes = 0
    private var lastOffset: Int64?

    /// The bodies of the notifications, in the log's order.
    private(set) var notifications: [[UInt8]] = []
    /// Whether no more notifications fit in the page.
    private(set) var isFull = false
    /// Whether the log has dropped entries that follow the request's marker.
    private(set) var isIncomplete = false

    /// Creates an empty page for a request from the consumer that `grant` names.
    init(_ request: ReplayRequest, grant: ConsumerGrant) {
        self.grant = grant
        wanted = (request.zones.map { zones in zones.map(grant.key(ofZone:)) } ?? grant.keys).map { Set($0) }
        limit = request.limit
        start = request.start
    }

    /// The marker of the last examined entry. If no entry was examined, the marker after which the page begins, or nil
    /// if the page begins at a point in time.
    var marker: Int64? {
        if let lastOffset { return lastOffset }
        if case .after(let offset) = start { return offset }
        return nil
    }

    /// Examines the next entry of the log. Entries that are repeated on a new connection are skipped.
    ///
    /// - Returns: false if the entry does not fit because the page is full.
    mutating func add(_ delivery: AMQPDelivery) -> Bool {
        guard !isFull else { return false }
        guard let offset = delivery.properties.headers.int64(Self.offsetHeader) else { return true }
        if let marker {
            guard offset > marker else { return true }
            if lastOffset == nil, offset > marker + 1 { isIncomplete = true }
        }
        guard isWanted(delivery), (try? JSONValue(parsing: delivery.body)) != nil else {
            lastOffset = offset
            return true
        }
        guard notifications.isEmpty || bytes + delivery.body.count <= Self.maxBytes else {
            isFull = true
            return false
        }
        lastOffset = offset
        bytes += delivery.body.count
        notifications.append(delivery.body)
        isFull = notifications.count == limit
        return true
    }

    private func isWanted(_ delivery: AMQPDelivery) -> Bool {
        guard delivery.exchange == Exchange.notifications, grant.covers(delivery.routingKey) else { return false }
        return wanted?.contains(delivery.routingKey) ?? true
    }
}
