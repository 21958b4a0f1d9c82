package import AMQPClient
package import CloudKitModel
package import CloudKitWire
package import Foundation

/// The changes that one client committed in one zone in one transaction. A change event is both a message on
/// `zonda.changes` and a row of the record service's change log (`deploy/docs/messages.md`, Changes).
package struct ChangeEvent: Sendable, Equatable {
    /// The zone.
    package var address: ZoneAddress
    /// The zone's incarnation, from which notification ids are derived.
    package var incarnation: UUID
    /// The sequence number of the first change.
    package var fromSeq: Int64
    /// The sequence number of the last change.
    package var toSeq: Int64
    /// The id of the transaction.
    package var xid: UInt64
    /// The client that made the changes; nil if its requests did not identify it.
    package var client: String?
    /// The acting user.
    package var user: String
    /// The time of the change, in milliseconds since 1970.
    package var at: Int64
    /// The zone's change token after this event. A consumer that has processed every event up to this one can continue
    /// from this token.
    package var syncToken: String
    /// The changed records, encoded by ``ChangedRecord/json(_:)``; nil if they are too large for an event, in which
    /// case the consumer reads the change log.
    package var records: [UInt8]?
    /// Whether the event combines several transactions, which happens if the change log no longer contains them. Each
    /// record then appears once, with its last change.
    package var isMerged = false
    /// Whether the event reports the deletion of the zone. This is the last event of the incarnation, and no record has
    /// its sequence number.
    package var isDeletion = false
    /// Whether a changed record no longer refers to an asset that it referred to before.
    package var dropsAssets = false
    /// The environment's rights number. If it is larger than the number in the last answer to
    /// ``Operation/interestsSet``, the schema or the access rights have changed since that answer.
    package var rights: Int64?
    /// The information about the zone's shares that ``ChangedRecord/shares`` does not contain; nil if there is none.
    package var shares: Shares?
    /// The trace of the request that made the changes. If the transaction executed several requests from the client,
    /// this is the first of their traces. It is sent in a header of the message and is not stored in the change log, so
    /// an event that was read from the log has no trace.
    package var trace: TraceParent?

    /// The maximum size of an event, in bytes. A larger event is sent with `"records": null`, and the consumer reads
    /// the change log.
    package static let maxBytes = 256 * 1024
    /// The maximum size of the ``records`` in an event, in bytes.
    package static let maxRecordsBytes = maxBytes - 4096

    /// Creates an event from its parts.
    package init(
        address: ZoneAddress, incarnation: UUID, fromSeq: Int64, toSeq: Int64, xid: UInt64, client: String?,
        user: String, at: Int64, syncToken: String, records: [UInt8]?, isMerged: Bool = false,
        isDeletion: Bool = false, dropsAssets: Bool = false, rights: Int64? = nil,
        shares: Shares? = nil, trace: TraceParent? = nil
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
        self.shares = shares
        self.trace = trace
    }

    /// Encodes the event as a JSON object.
    ///
    /// - Parameter bounded: whether `records` is written as null if it is larger than ``maxRecordsBytes``.
    package func json(bounded: Bool) -> [UInt8] {
        var writer = WireWriter()
        writer.object { writer in
            writer.member("version", Int64(1))
            writer.member("container", address.container)
            writer.member("environment", address.environment.rawValue)
            writer.member("scope", address.scope.wireName)
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
            if let shares {
                writer.key("shares")
                shares.write(to: &writer)
            }
            writer.key("records")
            if let records, !bounded || records.count <= Self.maxRecordsBytes {
                writer.raw(records)
            } else {
                writer.null()
            }
        }
        return writer.bytes
    }

    /// Returns the message. Every copy of the event has the same `message-id`.
    package func message() -> AMQPMessage {
        var headers: AMQPTable = [Header.version: .int64(1)]
        headers.set(trace)
        // Adds a second routing key, using RabbitMQ's sender-selected distribution.
        if dropsAssets { headers["CC"] = .array([.string(RoutingKey.droppedAssets)]) }
        return AMQPMessage(
            exchange: Exchange.changes, routingKey: RoutingKey.change(address),
            properties: AMQPProperties(
                messageID: "\(incarnation.uuidString.lowercased()).\(toSeq)", contentType: "application/json",
                timestamp: UInt64(at / 1000), headers: headers),
            body: json(bounded: true))
    }

    /// Decodes an event that ``json(bounded:)`` encoded.
    ///
    /// - Throws: `BAD_REQUEST` if the JSON is not an event or has a different version.
    package init(decoding bytes: [UInt8]) throws(ServerError) {
        try self.init(try JSONValue(parsing: bytes))
    }

    /// Decodes an event that ``json(bounded:)`` encoded.
    ///
    /// - Throws: the same errors as ``init(decoding:)``.
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
        guard let environment = EnvironmentName(rawValue: try text("environment")) else {
            throw Self.malformed("environment")
        }
        guard let scope = DatabaseScope(wireName: try text("scope")) else { throw Self.malformed("scope") }
        guard let xid = UInt64(try text("xid")) else { throw Self.malformed("xid") }
        self.init(
            address: ZoneAddress(
                container: try text("container"), environment: environment, scope: scope, owner: try text("owner"),
                zone: ZoneName(unchecked: try text("zone"))),
            incarnation: incarnation, fromSeq: try number("fromSeq"), toSeq: try number("toSeq"), xid: xid,
            client: json["client"]?.string, user: try text("user"), at: try number("at"),
            syncToken: json["syncToken"]?.string ?? "",
            records: json["records"]?.array.map { JSONValue.array($0).encoded() },
            isMerged: json["merged"]?.bool ?? false, isDeletion: json["deleted"]?.bool ?? false,
            rights: json["rights"]?.int, shares: json["shares"].flatMap(Shares.init))
    }

    /// Returns the decoded changed records; nil if they were too large for an event, in which case the consumer reads
    /// the change log.
    ///
    /// - Throws: `BAD_REQUEST` if they are malformed.
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
