import CloudKitWire
import CommandLineSession
import ServiceMessages

/// A share as returned by a lookup of the share itself or of its root.
struct ShareRecord: Sendable {
    /// The record type of shares.
    static let type = "cloudkit.share"
    /// The name of the share of a whole zone.
    static let zoneShareName = "cloudkit.zoneshare"

    /// The record dictionary of the share.
    let json: JSONValue
    private let zone: ZonePlace

    /// Creates a share from its record dictionary.
    init(_ json: JSONValue, in zone: ZonePlace) {
        self.json = json
        self.zone = zone
    }

    /// The name.
    var name: String { json["recordName"]?.string ?? "" }
    /// The identifier in the link.
    var link: String? { json["shortGUID"]?.string }
    /// The participants, including the owner.
    var participants: [JSONValue] { json["participants"]?.array ?? [] }

    /// The identifiers in the unused one-time links.
    var oneTimeLinks: [String] { participants.compactMap { $0["oneTimeShortGUID"]?.string } }
    /// The record names of the users who request access.
    var requesters: [String] {
        (json["requesters"]?.array ?? []).compactMap { $0["userIdentity"]?["userRecordName"]?.string }
    }

    /// Returns an operation that sets `members` of the share. The operation fails if the share has changed since it was
    /// read.
    func updating(_ members: (String, JSONValue?)...) -> JSONValue {
        [
            "operationType": "update",
            "record": .object(
                having: [
                    ("recordName", .string(name)), ("recordType", .string(Self.type)),
                    ("recordChangeTag", json["recordChangeTag"]),
                ] + members),
        ]
    }

    /// The operation that deletes the share. It fails if the share has changed since it was read.
    var deletion: JSONValue {
        [
            "operationType": "delete",
            "record": .object(having: [
                ("recordName", .string(name)), ("recordChangeTag", json["recordChangeTag"]),
            ]),
        ]
    }
}

extension Requester {
    /// Looks up a share by its own name or by the name of its root.
    ///
    /// - Throws: the failure of the request or of the record, or a `NOT_FOUND` failure if the record is not shared.
    func share(_ name: String, in zone: ZonePlace) async throws(RequestFailure) -> ShareRecord {
        let record = try await record(name, in: zone)
        if record["recordType"]?.string == ShareRecord.type { return ShareRecord(record, in: zone) }
        guard let share = record["share"]?["recordName"]?.string else {
            var refusal = RequestFailure.Refusal(code: "NOT_FOUND", reason: "the record is not the root of a share")
            refusal.subject = name
            throw .refused(refusal)
        }
        return ShareRecord(try await self.record(share, in: zone), in: zone)
    }

    /// Executes operations on a share, and returns the record in the last outcome.
    ///
    /// - Throws: the failure of the request or of the record.
    func save(_ operations: [JSONValue], in zone: ZonePlace) async throws(RequestFailure) -> ShareRecord {
        let body: JSONValue = ["zoneID": zone.json, "operations": .array(operations)]
        let records = try await ask(.recordsModify, body, limit: .requestLimit)["records"]?.array ?? []
        for record in records { if let refusal = RequestFailure.Refusal(record) { throw .refused(refusal) } }
        return ShareRecord(records.last ?? .null, in: zone)
    }

    private func record(_ name: String, in zone: ZonePlace) async throws(RequestFailure) -> JSONValue {
        let body: JSONValue = ["zoneID": zone.json, "records": [["recordName": .string(name)]]]
        let record = try await ask(.recordsLookup, body, limit: .requestLimit)["records"]?[0] ?? .null
        if let refusal = RequestFailure.Refusal(record) { throw .refused(refusal) }
        return record
    }
}
