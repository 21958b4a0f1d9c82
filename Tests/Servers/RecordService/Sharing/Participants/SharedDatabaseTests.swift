import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// What participants, and nobody else, see in the shared database (semantics 11.3, 11.4).
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct SharedDatabaseTests {
    /// `list` with `a` and `a.1`, shared by `S`; `shelf` with `b`, which is not shared. `b` and `c` are invited to `S`,
    /// and `b` has accepted.
    private static func plant(_ database: RecordDatabase) async throws -> (zone: ZoneEntry, reader: SharedReader) {
        let zone = try await database.zone()
        try await database.save(
            zone, database.operation("create", "list"), database.operation("create", "a", parent: "list"),
            database.operation("create", "a.1", parent: "a"), database.operation("create", "shelf"),
            database.operation("create", "b", parent: "shelf"))
        try await database.save(
            zone,
            database.share(
                "create", "S", of: "list",
                participants: ["b", "c"].map { RecordDatabase.participant(RecordDatabase.user($0)) }))
        let reader = SharedReader(database, "b")
        try await reader.accept("S", in: zone)
        return (zone, reader)
    }

    @Test func participantSeesTheSharedRecordsAndNoOthers() async throws {
        try await RecordDatabase.with { database in
            let (_, reader) = try await Self.plant(database)
            let zones = try await reader.ask(.zonesList, [:])["zones"]?.array
            #expect(zones?.map { $0["zoneID"]?["zoneName"] } == ["Z"])
            #expect(zones?.map { $0["zoneID"]?["ownerRecordName"]?.string } == [RecordDatabase.user])
            let found = try await reader.look("list", "a", "a.1", "S")["records"]?.array ?? []
            #expect(found.map { $0["recordName"]?.string } == ["list", "a", "a.1", "S"])
            #expect(found.allSatisfy { $0["serverErrorCode"] == nil && $0["zoneID"] == zones?[0]["zoneID"] })
            #expect(found.last?["currentUserParticipant"]?["acceptanceStatus"] == "ACCEPTED")
            #expect(Set(try await reader.feed().names) == ["list", "a", "a.1", "S"])
        }
    }

    @Test(arguments: ["b", "c", "d"] as [Character])
    func whatAUserMayNotSeeIsAnsweredLikeWhatDoesNotExist(user: Character) async throws {
        try await RecordDatabase.with { database in
            _ = try await Self.plant(database)
            let reader = SharedReader(database, user)
            func same(_ hidden: JSONValue, _ madeUp: JSONValue, _ names: (String, String)) {
                func text(_ answer: JSONValue, without name: String) -> String {
                    // The id of a request is its own.
                    let members = answer.members?.filter { !["uuid", "requestID"].contains($0.key) }
                    let text = String(decoding: JSONValue.object(members ?? []).encoded(), as: UTF8.self)
                    return text.replacing("\"\(name)\"", with: "?").replacing("'\(name)'", with: "?")
                }
                #expect(text(hidden, without: names.0) == text(madeUp, without: names.1))
            }
            if user == "b" {
                same(try await reader.look("shelf"), try await reader.look("nosuc"), ("shelf", "nosuc"))
            } else {
                // Invited users and strangers.
                #expect(try await reader.ask(.zonesList, [:])["zones"]?.array == [])
                func ask(_ zone: String) async throws -> [JSONValue] {
                    [
                        try await reader.ask(.zonesLookup, ["zones": [SharedReader.zoneID(zone)]]),
                        try await reader.ask(.changesZone, ["zones": [["zoneID": SharedReader.zoneID(zone)]]]),
                        try await reader.ask(
                            .recordsLookup,
                            ["zoneID": SharedReader.zoneID(zone), "records": [["recordName": "list"]]]),
                    ]
                }
                for (hidden, madeUp) in zip(try await ask("Z"), try await ask("Y")) {
                    same(hidden, madeUp, ("Z", "Y"))
                }
            }
        }
    }

    @Test func aZoneIsNamedWithItsOwner() async throws {
        try await RecordDatabase.with { database in
            let (_, reader) = try await Self.plant(database)
            let records: JSONValue = [["recordName": "list"]]
            let unnamed = try await reader.ask(
                .recordsLookup, ["zoneID": SharedReader.zoneID("Z", owner: nil), "records": records])
            #expect(unnamed["ckErrorCode"] == 12)
            let own = try await reader.ask(
                .recordsLookup, ["zoneID": SharedReader.zoneID("Z", owner: reader.user), "records": records])
            #expect(own["ckErrorCode"] == 26)
        }
    }

    @Test func whatLeavesComesAsADeletionAndWhatEntersAsAChange() async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            let first = try await reader.feed().token
            var token = first
            func next() async throws -> Set<String> {
                let feed = try await reader.feed(since: token, limit: 1)
                token = feed.token
                return Set(feed.names)
            }
            try await database.save(zone, database.operation("update", "b", ["n": 1]))
            #expect(try await next() == [])
            try await database.save(zone, database.operation("update", "shelf", parent: "a"))
            #expect(try await next() == ["shelf", "b"])
            try await database.save(zone, database.operation("update", "b", ["n": 2], parent: "shelf"))
            #expect(try await next() == ["b"])
            try await database.save(zone, database.operation("delete", "a.1"))
            #expect(try await next() == ["-a.1"])
            let record: JSONValue = ["recordName": "shelf", "recordType": "Photo", "parent": nil]
            try await database.save(zone, ["operationType": "update", "record": record])
            #expect(try await next() == ["-shelf", "-b"])
            // The name is used again outside of the share, which says nothing new.
            try await database.save(zone, database.operation("create", "a.1"))
            #expect(try await next() == [])
            #expect(try await reader.feed(since: first, limit: 1).names.contains("-a.1"))
        }
    }

    @Test func aTokenBelongsToOneUser() async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            let other = SharedReader(database, "c")
            try await other.accept("S", in: zone)
            let token = try await reader.feed().token
            #expect(try await other.page(since: token)["serverErrorCode"] == "BAD_REQUEST")
            #expect(try await other.page(since: database.feed().token)["serverErrorCode"] == "BAD_REQUEST")
        }
    }

    @Test func theTokensOfZonesBeginAtTheirPresentState() async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            let listed = try await reader.ask(.zonesList, [:])["zones"]?[0]
            let found = try await reader.ask(.zonesLookup, ["zones": [SharedReader.zoneID("Z")]])["zones"]?[0]
            let token = try #require(listed?["syncToken"]?.string)
            #expect(try await reader.feed(since: token).names == [])
            #expect(try await reader.feed(since: try #require(found?["syncToken"]?.string)).names == [])
            try await database.save(zone, database.operation("update", "a", ["n": 1]))
            #expect(try await reader.feed(since: token).names == ["a"])
        }
    }

    @Test func aZoneThatIsSharedAsAWholeHasTheFeedOfItsOwner() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(zone, database.operation("create", "x"), database.operation("create", "y"))
            let participant = RecordDatabase.participant(RecordDatabase.user("b"))
            try await database.save(
                zone, database.share("create", "cloudkit.zoneshare", of: nil, participants: [participant]))
            let reader = SharedReader(database, "b")
            try await reader.accept("cloudkit.zoneshare", in: zone)
            let first = try await reader.feed(limit: 1)
            #expect(Set(first.names) == ["x", "y", "cloudkit.zoneshare"])
            try await database.save(zone, database.operation("create", "z"), database.operation("delete", "x"))
            #expect(Set(try await reader.feed(since: first.token, limit: 1).names) == ["z", "-x"])
            #expect(try await reader.look("z")["records"]?[0]?["serverErrorCode"] == nil)
        }
    }
}
