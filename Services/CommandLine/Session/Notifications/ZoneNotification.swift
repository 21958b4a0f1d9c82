package import CloudKitWire
package import ServiceMessages

/// A message from `zonda.notifications` that reports changes in one zone, either to consumers of the zone (`zone.…`) or
/// for a saved subscription (`user.…`).
package struct ZoneNotification: Sendable {
    /// The message's id. Repeated notifications of the same changes have the same id.
    package var id: String
    /// The zone's name.
    package var zone: String
    /// The zone's incarnation. Change numbers of different incarnations are not comparable.
    package var incarnation: String
    /// The number of the first change.
    package var fromSeq: Int64
    /// The number of the last change.
    package var toSeq: Int64
    /// The zone's change token after the changes.
    package var syncToken: String?
    /// The time of the changes, in milliseconds since 1970.
    package var at: Int64?
    /// The saved subscription that fired, if any.
    package var subscriptionID: String?
    /// The part of `ck` that corresponds to the subscription's kind, if any.
    package var part: Part?
    /// The record in the notification of a query subscription.
    package var query: Query?
    /// The changed records; nil if there are too many for a message. The feed must then be read instead.
    package var records: [Change]?
    /// The whole message.
    package var json: JSONValue

    /// A change to one record.
    package struct Change: Equatable, Sendable {
        /// The record.
        package var recordName: String
        /// The kind of change.
        package var kind: ChangedRecord.Kind
    }

    /// The parts of `ck`, one for each kind of subscription (web-services 8.3).
    package enum Part: String, Sendable, CaseIterable {
        /// The part for a subscription to a zone.
        case fet
        /// The part for a subscription to a database.
        case met
        /// The part for a subscription to a query.
        case qry
    }

    /// The record in the notification of a query subscription.
    package struct Query: Equatable, Sendable {
        /// The record's name, `rid`.
        package var recordName: String?
        /// The kind of change, `fo`: 1 for created, 2 for updated, 3 for deleted.
        package var reason: Int64?

        /// Creates the values for `change`.
        package init(_ change: Change) {
            recordName = change.recordName
            reason =
                switch change.kind {
                case .created: 1
                case .updated: 2
                case .deleted: 3
                }
        }

        /// Reads the values from a message.
        fileprivate init(_ json: JSONValue) {
            recordName = json["rid"]?.string
            reason = json["fo"]?.int
        }
    }

    /// Parses a message's body.
    ///
    /// - Throws: `.unanswered` if the body is not a notification.
    package init(_ body: [UInt8]) throws(RequestFailure) {
        guard let json = try? JSONValue(parsing: body), let id = json["id"]?.string,
            let zone = json["zone"]?.string, let incarnation = json["incarnation"]?.string,
            let fromSeq = json["fromSeq"]?.int,
            let toSeq = json["toSeq"]?.int, fromSeq <= toSeq
        else { throw .unanswered(reason: "received a message that is not a notification") }
        self.id = id
        self.zone = zone
        self.incarnation = incarnation
        self.fromSeq = fromSeq
        self.toSeq = toSeq
        self.json = json
        syncToken = json["syncToken"]?.string
        at = json["at"]?.int
        part = Part.allCases.first { json["ck"]?[$0.rawValue] != nil }
        subscriptionID = part.flatMap { json["ck"]?[$0.rawValue]?["sid"]?.string }
        query = json["ck"]?[Part.qry.rawValue].map(Query.init)
        records = json["records"]?.array?.compactMap { record in
            guard let name = record["recordName"]?.string,
                let kind = record["change"]?.string.flatMap(ChangedRecord.Kind.init)
            else { return nil }
            return Change(recordName: name, kind: kind)
        }
    }

    /// The notification as a line: `2026-01-15T18:00:00Z  Notes  17–19  updated shopping, deleted travel`.
    package var line: String {
        var parts = [at.map(Moment.text) ?? "", zone, fromSeq == toSeq ? "\(toSeq)" : "\(fromSeq)–\(toSeq)"]
        if let subscriptionID { parts.append("subscription \(subscriptionID)") }
        parts.append(
            records.map { $0.map { "\($0.kind.rawValue) \($0.recordName)" }.joined(separator: ", ") }
                ?? "many records: read the feed")
        return parts.joined(separator: "  ")
    }
}
