internal import AMQPClient
internal import CloudKitWire
internal import ServiceMessages

/// One page of a replay while it is read from the log. Pure.
struct ReplayPage: Sendable {
    /// By which a delivery of a stream tells its place.
    static let offsetHeader = "x-stream-offset"
    /// Past this many bytes of notifications the page is full; the first one always fits.
    static let maxBytes = 4 << 20

    private let grant: ConsumerGrant
    private let wanted: Set<String>?
    private let limit: Int
    private let start: ReplayRequest.Start
    private var bytes = 0
    private var lastOffset: Int64?

    /// The bodies, in the log's order.
    private(set) var notifications: [[UInt8]] = []
    /// Whether no more fits.
    private(set) var isFull = false
    /// Whether the log has lost something between the marker and its first entry.
    private(set) var isIncomplete = false

    /// An empty page of what was granted.
    init(_ request: ReplayRequest, grant: ConsumerGrant) {
        self.grant = grant
        wanted = (request.zones.map { zones in zones.map(grant.key(ofZone:)) } ?? grant.keys).map { Set($0) }
        limit = request.limit
        start = request.start
    }

    /// The marker of the last entry that was looked at, or the one that the page began after.
    var marker: Int64? {
        if let lastOffset { return lastOffset }
        if case .after(let offset) = start { return offset }
        return nil
    }

    /// Looks at the next entry of the log. A repeat, which a new connection brings, is passed over.
    ///
    /// - Returns: false when it does not fit any more: the page is full.
    mutating func take(_ delivery: AMQPDelivery) -> Bool {
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
