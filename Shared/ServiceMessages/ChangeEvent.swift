package import AMQPClient
package import CloudKitModel
package import CloudKitWire
package import Foundation

/// What was committed in one zone by one client in one transaction: the message on `zonda.changes` and a row of the
/// record service's change log (DESIGN 4).
package struct ChangeEvent: Sendable, Equatable {
    /// The zone.
    package var address: ZoneAddress
    /// The zone's incarnation: the base of notification ids.
    package var incarnation: UUID
    /// The number of the first change.
    package var fromSeq: Int64
    /// The number of the last one.
    package var toSeq: Int64
    /// The transaction.
    package var xid: UInt64
    /// The originating client.
    package var client: String?
    /// The acting user.
    package var user: String
    /// When, milliseconds since 1970.
    package var at: Int64
    /// The zone's change token after it: a consumer that has heard everything up to here is there.
    package var syncToken: String
    /// ``ChangedRecord/json(_:)``; nil: too long for an event, read the log.
    package var records: [UInt8]?
    /// Whether it stands for more than one transaction, because the log does not reach back that far: each record is
    /// named once, with its last change.
    package var isMerged = false
    /// Whether it is the zone's deletion: the last event of the incarnation, whose number is no record's.
    package var isDeletion = false
    /// Whether a record dropped a reference to an asset.
    package var dropsAssets = false
    /// The environment's ``Operation/interestsSet`` number: a larger one than the one that an interest was answered with
    /// says that the schema, or who may do what, was changed since.
    package var rights: Int64?
    /// The trace of the request that made the changes; where several requests of one client made them in one
    /// transaction, the first one's that has any. It travels in the message's header and is not kept in the log: an
    /// event that is read from there has none.
    package var trace: TraceParent?

    /// Past this many bytes an event says `"records": null`: read the log.
    package static let maxBytes = 256 * 1024
    /// The bytes of ``records`` that an event has room for.
    package static let maxRecordsBytes = maxBytes - 4096

    /// An event of those parts.
    package init(
        address: ZoneAddress, incarnation: UUID, fromSeq: Int64, toSeq: Int64, xid: UInt64, client: String?,
        user: String, at: Int64, syncToken: String, records: [UInt8]?, isMerged: Bool = false,
        isDeletion: Bool = false, dropsAssets: Bool = false, rights: Int64? = nil, trace: TraceParent? = nil
    ) {
        self.address = address
        self.incarnation = incarnation
        self.fromSeq = fromSeq
        self.toSeq = toSeq
        self.xid = xid
        self.client = client
        self.user = user
        self.at = at
        self.syncToken = syncToken
        self.records = records
        self.isMerged = isMerged
        self.isDeletion = isDeletion
        self.dropsAssets = dropsAssets
        self.rights = rights
        self.trace = trace
    }

    /// The JSON object.
    ///
    /// - Parameter bounded: whether `records` is left out past ``maxBytes``.
    package func json(bounded: Bool) -> [UInt8] {
        var writer = WireWriter()
        writer.object { writer in
            writer.member("version", Int64(1))
            writer.member("container", address.container)
            writer.member("environment", address.environment)
            writer.member("scope", address.scope)
            writer.member("owner", address.owner)
            writer.member("zone", address.zone.rawValue)
            writer.member("incarnation", incarnation.uuidString.lowercased())
            writer.member("fromSeq", fromSeq)
            writer.member("toSeq", toSeq)
            writer.member("xid", String(xid))
            if let client { writer.member("client", client) }
            writer.member("user", user)
            writer.member("at", at)
            writer.member("syncToken", syncToken)
            if isMerged { writer.member("merged", true) }
            if isDeletion { writer.member("deleted", true) }
            writer.member("rights", rights)
            writer.key("records")
            if let records, !bounded || records.count <= Self.maxRecordsBytes {
                writer.raw(records)
            } else {
                writer.null()
            }
        }
        return writer.bytes
    }

    /// The message. Its `message-id` is the same for every copy of the event.
    package func message() -> AMQPMessage {
        var headers: AMQPTable = [Header.version: .int64(1)]
        headers.set(trace)
        // A second routing key: RabbitMQ's sender-selected distribution.
        if dropsAssets { headers["CC"] = .array([.string(RoutingKey.droppedAssets)]) }
        return AMQPMessage(
            exchange: Exchange.changes, routingKey: RoutingKey.change(address),
            properties: AMQPProperties(
                messageID: "\(incarnation.uuidString.lowercased()).\(toSeq)", contentType: "application/json",
                timestamp: UInt64(at / 1000), headers: headers),
            body: json(bounded: true))
    }

    /// Reads what ``json(bounded:)`` wrote.
    ///
    /// - Throws: `BAD_REQUEST` when it is none, or of another version.
    package init(decoding bytes: [UInt8]) throws(ServerError) {
        try self.init(try JSONValue(parsing: bytes))
    }

    /// Reads what ``json(bounded:)`` wrote.
    ///
    /// - Throws: as ``init(decoding:)``.
    package init(_ json: JSONValue) throws(ServerError) {
        func text(_ key: String) throws(ServerError) -> String {
            guard let text = json[key]?.string else { throw Self.malformed(key) }
            return text
        }
        func number(_ key: String) throws(ServerError) -> Int64 {
            guard let number = json[key]?.int else { throw Self.malformed(key) }
            return number
        }
        guard try number("version") == 1 else { throw Self.malformed("version") }
        guard let incarnation = UUID(uuidString: try text("incarnation")) else { throw Self.malformed("incarnation") }
        guard let xid = UInt64(try text("xid")) else { throw Self.malformed("xid") }
        self.init(
            address: ZoneAddress(
                container: try text("container"), environment: try text("environment"), scope: try text("scope"),
                owner: try text("owner"), zone: ZoneName(unchecked: try text("zone"))),
            incarnation: incarnation, fromSeq: try number("fromSeq"), toSeq: try number("toSeq"), xid: xid,
            client: json["client"]?.string, user: try text("user"), at: try number("at"),
            syncToken: json["syncToken"]?.string ?? "",
            records: json["records"]?.array.map { JSONValue.array($0).encoded() },
            isMerged: json["merged"]?.bool ?? false, isDeletion: json["deleted"]?.bool ?? false,
            rights: json["rights"]?.int)
    }

    /// The records that changed; nil: too many for an event, read the log.
    ///
    /// - Throws: `BAD_REQUEST` when they are malformed.
    package func changedRecords() throws(ServerError) -> [ChangedRecord]? {
        guard let records else { return nil }
        var changed: [ChangedRecord] = []
        for record in try JSONValue(parsing: records).array ?? [] { changed.append(try ChangedRecord(record)) }
        return changed
    }

    private static func malformed(_ key: String) -> ServerError {
        ServerError(.eventMalformed, "The event's '\(key)' is missing or malformed", field: key)
    }
}
