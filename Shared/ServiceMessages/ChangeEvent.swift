package import AMQPClient
internal import CloudKitWire
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
    /// A JSON array of `{recordName, recordType, seq, change, changedKeys}`.
    package var records: [UInt8]

    /// Past this many bytes an event says `"records": null`: read the log.
    package static let maxBytes = 256 * 1024

    /// An event of those parts.
    package init(
        address: ZoneAddress, incarnation: UUID, fromSeq: Int64, toSeq: Int64, xid: UInt64, client: String?,
        user: String, at: Int64, records: [UInt8]
    ) {
        self.address = address
        self.incarnation = incarnation
        self.fromSeq = fromSeq
        self.toSeq = toSeq
        self.xid = xid
        self.client = client
        self.user = user
        self.at = at
        self.records = records
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
            writer.member("zone", address.zone)
            writer.member("incarnation", incarnation.uuidString.lowercased())
            writer.member("fromSeq", fromSeq)
            writer.member("toSeq", toSeq)
            writer.member("xid", String(xid))
            if let client { writer.member("client", client) }
            writer.member("user", user)
            writer.member("at", at)
            writer.key("records")
            if bounded, records.count > Self.maxBytes - 2048 { writer.null() } else { writer.raw(records) }
        }
        return writer.bytes
    }

    /// The message. Its `message-id` is the same for every copy of the event.
    package func message() -> AMQPMessage {
        AMQPMessage(
            exchange: Exchange.changes, routingKey: RoutingKey.change(address),
            properties: AMQPProperties(
                messageID: "\(incarnation.uuidString.lowercased()).\(toSeq)", contentType: "application/json",
                timestamp: UInt64(at / 1000), headers: [Header.version: .int64(1)]),
            body: json(bounded: true))
    }
}
