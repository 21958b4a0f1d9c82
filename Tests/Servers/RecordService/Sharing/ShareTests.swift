import CloudKitModel
import CloudKitWire
import PostgresClient
import Testing

@testable import RecordService
@testable import RecordStorage

/// Shares as their owner saves them (semantics 11.1 to 11.3).
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct ShareTests {
    @Test func aShareIsMadeTogetherWithItsRoot() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let saved = try await database.save(
                zone, database.operation("create", "list"),
                database.share(
                    "create", nil, of: "list",
                    participants: [RecordDatabase.participant(RecordDatabase.user("b"), "READ_ONLY")],
                    fields: ["cloudkit.title": ["value": "Groceries"], "com.example.colour": ["value": "red"]]))
            let (root, share) = (saved[0], saved[1])
            let name = try #require(share["recordName"]?.string)
            #expect(name.hasPrefix("Share-"))
            #expect(share["publicPermission"] == "NONE")
            #expect(share["fields"]?["cloudkit.title"]?["value"] == "Groceries")
            #expect(share["owner"]?["userIdentity"]?["userRecordName"] == .string(RecordDatabase.user))
            #expect(share["currentUserParticipant"]?["type"] == "OWNER")
            let participants = try #require(share["participants"]?.array)
            #expect(participants.map { $0["acceptanceStatus"] } == ["ACCEPTED", "INVITED"])
            #expect(participants.map { $0["permission"] } == ["READ_WRITE", "READ_ONLY"])
            let link = try #require(share["shortGUID"]?.string)
            #expect(link.utf8.count == 24)
            #expect(root["shortGUID"] == .string(link))
            #expect(root["share"]?["recordName"] == .string(name))
            // A look-up and the feed show the same.
            let found = try await database.record(name, in: zone)
            for key in ["participants", "publicPermission", "shortGUID", "owner", "fields"] {
                #expect(found[key] == share[key], "\(key)")
            }
            #expect(try await database.record("list", in: zone)["share"] == root["share"])
            #expect(try await database.members(of: zone) == [name: ["list", name]])
        }
    }

    @Test func rootGetsANewTagWhenSharingBeginsAndEnds() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let first = try await database.save(zone, database.operation("create", "list", ["n": 1]))
            let tag = try #require(first[0]["recordChangeTag"]?.string)
            try await database.save(zone, database.share("create", "S", of: "list", rootTag: tag))
            let shared = try await database.record("list", in: zone)
            #expect(shared["recordChangeTag"] != .string(tag))
            #expect(shared["fields"]?["n"]?["value"] == 1)
            let link = shared["shortGUID"]
            try await database.save(zone, database.operation("delete", "S"))
            let alone = try await database.record("list", in: zone)
            #expect(alone["recordChangeTag"] != shared["recordChangeTag"])
            #expect(alone["share"] == nil)
            #expect(alone["fields"]?["n"]?["value"] == 1)
            #expect(try await database.members(of: zone) == [:])
            // The link stays the root's own.
            try await database.save(zone, database.share("create", "T", of: "list"))
            #expect(try await database.record("list", in: zone)["shortGUID"] == link)
        }
    }

    @Test func sharesThatCannotBeMadeAreRefused() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(
                zone, database.operation("create", "list"), database.operation("create", "item", parent: "list"),
                database.operation("create", "other"))
            #expect(try await database.codes(zone, database.share("create", "S", of: nil)) == [12])
            #expect(try await database.codes(zone, database.share("create", "S", of: "nobody")) == [12])
            #expect(try await database.codes(zone, database.share("create", "S", of: "list", rootTag: "old")) == [14])
            #expect(try await database.codes(zone, database.share("create", "S", of: "item")) == [nil])
            // A record below is shared; the record is shared; it belongs to a share.
            #expect(try await database.codes(zone, database.share("create", "T", of: "list")) == [30])
            #expect(try await database.codes(zone, database.share("create", "T", of: "item")) == [30])
            try await database.save(zone, database.operation("create", "detail", parent: "item"))
            #expect(try await database.codes(zone, database.share("create", "T", of: "detail")) == [30])
            // Another record is not concerned.
            #expect(try await database.codes(zone, database.share("create", "T", of: "other")) == [nil])
            #expect(try await database.codes(zone, database.share("create", "cloudkit.zoneshare", of: nil)) == [12])
            // The share itself cannot be shared, nor deleted records.
            #expect(try await database.codes(zone, database.share("create", "U", of: "T")) == [12])
            try await database.save(zone, database.operation("delete", "other"))
            #expect(try await database.codes(zone, database.share("create", "U", of: "other")) == [12])
        }
    }

    @Test func zoneIsSharedAsAWholeOnce() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(zone, database.operation("create", "list"))
            let share = try await database.save(zone, database.share("create", "cloudkit.zoneshare", of: nil))
            #expect(share[0]["shortGUID"]?.string?.utf8.count == 24)
            #expect(try await database.codes(zone, database.share("create", "cloudkit.zoneshare", of: nil)) == [14])
            #expect(try await database.codes(zone, database.share("create", "S", of: "list")) == [15])
            try await database.save(zone, database.operation("delete", "cloudkit.zoneshare"))
            #expect(try await database.codes(zone, database.share("create", "S", of: "list")) == [nil])
        }
    }

    @Test func shareIsSavedOnlyWithItsCurrentTag() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let saved = try await database.save(
                zone, database.operation("create", "list"), database.share("create", "S", of: "list"))
            let tag = try #require(saved[1]["recordChangeTag"]?.string)
            for kind in ["update", "replace", "forceUpdate", "forceReplace"] {
                #expect(try await database.codes(zone, database.share(kind, "S", of: nil)) == [14], "\(kind)")
                #expect(
                    try await database.codes(zone, database.share(kind, "S", of: nil, tag: "old")) == [14], "\(kind)")
            }
            #expect(
                try await database.codes(
                    zone, database.share("update", "S", of: nil, tag: tag, permission: "READ_ONLY")) == [nil])
            #expect(try await database.record("S", in: zone)["publicPermission"] == "READ_ONLY")
        }
    }

    @Test func shareGoesWithItsRoot() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(
                zone, database.operation("create", "list"), database.operation("create", "item", parent: "list"),
                database.share("create", "S", of: "list"))
            let before = try await database.feed()
            // A record that others have as their parent stays.
            #expect(try await database.codes(zone, database.operation("delete", "list")) == [31])
            try await database.save(
                zone, database.operation("delete", "list"), database.operation("delete", "item"))
            #expect(try await database.record("S", in: zone)["serverErrorCode"] == "NOT_FOUND")
            #expect(Set(try await database.feed(since: before.token).names) == ["-list", "-item", "-S"])
            let live = try await database.query("select count(*) from record.share where ended_seq is null")
            #expect(live.first?.int64(0) == 0)
            let sharing = try await database.query("select max(sharing)::int8 from record.zone")
            #expect(sharing.first?.int64(0) == 0)
        }
    }

    @Test func keysOfSharesAreRefusedElsewhere() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let dotted = database.operation("create", "a", ["com.example.x": 1])
            #expect(try await database.codes(zone, dotted) == [12])
            let permission: JSONValue = [
                "operationType": "create",
                "record": ["recordName": "a", "recordType": "Photo", "publicPermission": "READ_ONLY"],
            ]
            #expect(try await database.codes(zone, permission) == [12])
        }
    }

    @Test func participantsCountInTheSizeAndUnacceptedOnesAreDeleted() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let saved = try await database.save(
                zone, database.operation("create", "list"),
                database.share(
                    "create", "S", of: "list",
                    participants: "bcdef".map { RecordDatabase.participant(RecordDatabase.user($0)) }))
            let table = zone.database.environment.recordTable
            let size = PostgresStatement("select size::int8 from \(table) where name = 'S'")
            let large = try #require(try await database.query(size).first?.int64(0))
            #expect(large >= 6 * 200)
            let ids = try #require(saved[1]["participants"]?.array).map { $0["participantId"] }
            #expect(ids.count == 6)
            let tag = try #require(saved[1]["recordChangeTag"]?.string)
            try await database.save(
                zone,
                database.share(
                    "update", "S", of: nil, tag: tag,
                    participants: [RecordDatabase.participant(RecordDatabase.user("c"), "READ_ONLY")]))
            let small = try #require(try await database.query(size).first?.int64(0))
            #expect(small < large)
            let rows = try await database.query("select count(*) from record.participant")
            #expect(rows.first?.int64(0) == 2)
            // An id of this share names a participant; one of another share does not.
            let current = try await database.tag("S", in: zone)
            try await database.save(zone, database.operation("create", "other"))
            let other: JSONValue = ["participantId": ids[2] ?? .null]
            #expect(
                try await database.codes(zone, database.share("create", "T", of: "other", participants: [other]))
                    == [12])
            #expect(
                try await database.codes(
                    zone, database.share("update", "S", of: nil, tag: current, participants: [other])) == [nil])
        }
    }
}
