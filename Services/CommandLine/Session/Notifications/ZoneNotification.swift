package import CloudKitWire
package import ServiceMessages

/// A message of `zonda.notifications`: some changes in one zone, told to whoever listens to the zone (`zone.…`) or
/// because of a saved subscription (`user.…`).
package struct ZoneNotification: Sendable {
    /// The message's id: the same when the same changes are told again, to whoever it is.
    package var id: String
    /// The zone's name.
    package var zone: String
    /// The zone's incarnation: numbers of two incarnations have nothing to do with each other.
    package var incarnation: String
    /// The number of the first change.
    package var fromSeq: Int64
    /// The number of the last one.
    package var toSeq: Int64
    /// The zone's change token after them.
    package var syncToken: String?
    /// When, milliseconds since 1970.
    package var at: Int64?
    /// The saved subscription, if one is the reason.
    package var subscriptionID: String?
    /// The part of `ck` that tells of it, if one is.
    package var part: Part?
    /// What a query's notification says of the record.
    package var query: Query?
    /// What changed; nil: too much for a message, read the feed.
    package var records: [Change]?
    /// The whole message.
    package var json: JSONValue

    /// What happened to one record.
    package struct Change: Equatable, Sendable {
        /// The record.
        package var recordName: String
        /// What happened.
        package var kind: ChangedRecord.Kind
    }

    /// The parts of `ck`, one for each kind of subscription (web-services 8.3).
    package enum Part: String, Sendable, CaseIterable {
        /// A zone's.
        case fet
        /// A database's.
        case met
        /// A query's.
        case qry
    }

    /// What a query's notification says of its record.
    package struct Query: Equatable, Sendable {
        /// `rid`.
        package var recordName: String?
        /// `fo`: 1 made, 2 changed, 3 deleted.
        package var reason: Int64?

        /// What it says of `change`.
        package init(_ change: Change) {
            recordName = change.recordName
            reason =
                switch change.kind {
                case .created: 1
                case .updated: 2
                case .deleted: 3
                }
        }

        /// What a message says.
        fileprivate init(_ json: JSONValue) {
            recordName = json["rid"]?.string
            reason = json["fo"]?.int
        }
    }

    /// Reads a message's body.
    ///
    /// - Throws: `.unanswered` when it is no notification.
    package init(_ body: [UInt8]) throws(RequestFailure) {
        guard let json = try? JSONValue(parsing: body), let id = json["id"]?.string,
            let zone = json["zone"]?.string, let incarnation = json["incarnation"]?.string,
            let fromSeq = json["fromSeq"]?.int,
            let toSeq = json["toSeq"]?.int, fromSeq <= toSeq
        else { throw .unanswered(reason: "a message came that is no notification") }
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

    /// `2026-01-15T18:00:00Z  Notes  17–19  updated shopping, deleted travel`.
    package var line: String {
        var parts = [at.map(Moment.text) ?? "", zone, fromSeq == toSeq ? "\(toSeq)" : "\(fromSeq)–\(toSeq)"]
        if let subscriptionID { parts.append("subscription \(subscriptionID)") }
        parts.append(
            records.map { $0.map { "\($0.kind.rawValue) \($0.recordName)" }.joined(separator: ", ") }
                ?? "many records: read the feed")
        return parts.joined(separator: "  ")
    }
}
