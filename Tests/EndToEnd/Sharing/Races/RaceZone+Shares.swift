import AMQPClient
import CloudKitWire
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

/// What the owner and the invited users do with the shares of a race.
extension RaceZone {
    /// A share.
    struct Share: Sendable {
        /// The name of the root. In a zone that is shared as a whole, it is one of the records.
        let root: String
        /// The name of the share record.
        let name: String
        /// The identifier in the link.
        let link: JSONValue
    }

    private static let conflict: JSONValue = 14

    private static func participant(_ client: TestClient, _ permission: String) -> JSONValue {
        [
            "type": "USER", "permission": .string(permission), "acceptanceStatus": "INVITED",
            "userIdentity": ["userRecordName": .string(client.user)],
        ]
    }

    /// Creates a record with a share, and invites users to read and write.
    func share(_ root: String, with guests: [TestClient]) async throws -> Share {
        let name = isSharedAsWhole ? "cloudkit.zoneshare" : "S-" + root
        var record: [JSONValue.Member] = [
            .init("recordType", "cloudkit.share"), .init("recordName", .string(name)), .init("fields", [:]),
            .init("participants", .array(guests.map { Self.participant($0, "READ_WRITE") })),
        ]
        if !isSharedAsWhole { record.append(.init("forRecord", ["recordName": .string(root)])) }
        let saved = try await save(
            Self.operation("create", root), ["operationType": "create", "record": .object(record)])
        return Share(root: root, name: name, link: try #require(saved[1]["shortGUID"]))
    }

    /// Accepts a share as a participant.
    ///
    /// - Returns: the result, which may be an error.
    func accept(_ share: Share, as guest: TestClient) async throws -> JSONValue {
        let reply = try await guest.with(Header.database, "public").ask(
            .recordsAccept, ["shortGUIDs": [["value": share.link]]], within: .seconds(60))
        return try #require(reply["results"]?[0], "\(reply.body)")
    }

    /// Replaces the participants of a share. Repeats the save if somebody else has changed the share in the meantime.
    func invite(_ guests: [TestClient], to share: Share, permission: String = "READ_WRITE") async throws {
        try await change(share, "update") { tag in
            [
                "recordType": "cloudkit.share", "recordName": .string(share.name), "fields": [:],
                "recordChangeTag": tag, "participants": .array(guests.map { Self.participant($0, permission) }),
            ]
        }
    }

    /// Ends a share by deleting the share record.
    func stop(_ share: Share) async throws {
        try await change(share, "delete") { tag in
            ["recordType": "cloudkit.share", "recordName": .string(share.name), "recordChangeTag": tag]
        }
    }

    private func change(_ share: Share, _ kind: String, _ record: (JSONValue) -> JSONValue) async throws {
        while true {
            let tag = try #require(try await owner.record(Self.name, share.name)["recordChangeTag"])
            let reply = try await modify(as: owner, ["operationType": .string(kind), "record": record(tag)])
            let result = try #require(reply["records"]?[0], "\(reply.body)")
            if result.errorCode == nil { return }
            try #require(result["ckErrorCode"] == Self.conflict, "\(result)")
        }
    }

    /// Leaves a share as a participant.
    ///
    /// - Parameter wholeZone: whether to leave all shares of the zone instead.
    func leave(_ share: Share, as guest: TestClient, wholeZone: Bool) async throws {
        let result: JSONValue?
        if wholeZone {
            let reply = try await guest.ask(
                .zonesModify, ["operations": [["operationType": "delete", "zone": ["zoneID": id]]]],
                within: .seconds(60))
            result = reply["zones"]?[0]
        } else {
            let record: JSONValue = ["recordType": "cloudkit.share", "recordName": .string(share.name)]
            result = try await modify(as: guest, ["operationType": "forceDelete", "record": record])["records"]?[0]
        }
        try #require(result?["deleted"] == true, "\(result ?? .null)")
    }

    /// The numbers of the changes by which a participant last gained and last lost access to a share.
    func access(of guest: TestClient, to share: Share) async throws -> (since: Int64, until: Int64?) {
        let rows = try await query(
            """
            select p.since_seq, p.until_seq from record.participant p
            join record.share s on s.zone = p.zone and s.id = p.share
            where p.user_name = $1 and s.name = $2 and p.since_seq is not null order by p.since_seq desc limit 1
            """, [.text(guest.user), .text(share.name)])
        let row = try #require(rows.first, "the user never had access")
        return (row.int64(0), row.int64IfPresent(1))
    }
}
