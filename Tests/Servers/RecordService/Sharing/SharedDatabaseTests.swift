import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import TestGenerators
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
            var token = try await reader.feed().token
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
            // The name is used again outside of the share.
            try await database.save(zone, database.operation("create", "a.1"))
            #expect(try await next() == ["-a.1"])
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

    /// A participant keeps a copy by tokens while the owner shares, moves, deletes and removes at random. After each
    /// step, the copy and a new walk must equal what the participant may see.
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func aCopyThatIsKeptByTokensIsWhatTheParticipantMaySee(seed: UInt64) async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let reader = SharedReader(database, "b")
            var generator = SeededGenerator(seed: seed)
            let names = (0..<8).map { "r\($0)" }
            var (copy, token): (Set<String>, String?) = ([], nil)
            var log: [String] = []
            for _ in 0..<60 {
                log.append(try await Self.step(database, zone, reader, names, &generator))
                let truth = try await Self.visible(database, zone, to: reader.user)
                guard let truth else {
                    #expect(try await reader.page(since: token)["serverErrorCode"] == "ZONE_NOT_FOUND", "\(log)")
                    (copy, token) = ([], nil)
                    continue
                }
                if Int.random(in: 0..<3, using: &generator) > 0 {
                    let limit = Int.random(in: 1...3, using: &generator)
                    while true {
                        let page = try await reader.page(since: token, limit: limit)
                        if page["serverErrorCode"] != nil {
                            #expect(page["reason"]?.string?.contains("expired") == true, "\(page) \(log)")
                            (copy, token) = ([], nil)
                            continue
                        }
                        for record in page["records"]?.array ?? [] {
                            let name = try #require(record["recordName"]?.string)
                            if record["deleted"] == true { copy.remove(name) } else { copy.insert(name) }
                        }
                        token = page["syncToken"]?.string
                        if page["moreComing"] != true { break }
                    }
                    #expect(copy == truth, "\(log)")
                    if copy != truth { return }
                }
                #expect(Set(try await reader.feed(limit: 2).names) == truth, "\(log)")
            }
        }
    }

    /// Makes one change at random; a refusal changes nothing.
    private static func step(
        _ database: RecordDatabase, _ zone: ZoneEntry, _ reader: SharedReader, _ names: [String],
        _ generator: inout SeededGenerator
    ) async throws -> String {
        let (one, other) = (names.randomElement(using: &generator)!, names.randomElement(using: &generator)!)
        let shares = try await database.query(
            "select name from record.share where zone = $1 and ended_seq is null order by name",
            [.int8(zone.row.rawValue)]
        ).map { $0.string(0) }
        let share = shares.randomElement(using: &generator)
        let kind = Int.random(in: 0..<10, using: &generator)
        switch kind {
        case 0...2:
            _ = try await database.codes(zone, database.operation("forceUpdate", one, parent: other))
            return "\(one) below \(other)"
        case 3:
            _ = try await database.codes(zone, database.operation("forceReplace", one))
            return "\(one) without parent"
        case 4:
            _ = try await database.codes(zone, database.operation("forceDelete", one))
            return "delete \(one)"
        case 5, 6:
            let participants = [RecordDatabase.participant(reader.user)]
            let codes = try await database.codes(
                zone, database.share("create", "S.\(one)", of: one, participants: participants))
            if codes == [nil] { try await reader.accept("S.\(one)", in: zone) }
            return "share \(one) \(codes)"
        case 7:
            guard let share else { return "nothing" }
            _ = try await database.codes(zone, database.operation("forceDelete", share))
            return "end \(share)"
        case 8:
            try await database.reclaim(retention: .seconds(3600))
            return "jobs"
        default:
            guard let share else { return "nothing" }
            let tag = try await database.tag(share, in: zone)
            let isRemoved = Bool.random(using: &generator)
            let participants = isRemoved ? [] : [RecordDatabase.participant(reader.user)]
            try await database.save(
                zone, database.share("update", share, of: nil, tag: tag, participants: participants))
            if !isRemoved { try await reader.accept(share, in: zone) }
            return "\(isRemoved ? "remove from" : "invite to") \(share)"
        }
    }

    /// Returns the names of the records that a user may see, computed from the parents; nil if the user may not see the
    /// zone.
    private static func visible(
        _ database: RecordDatabase, _ zone: ZoneEntry, to user: String
    ) async throws -> Set<String>? {
        let members = try await database.members(of: zone)
        let shares = try await database.query(
            """
            select s.name from record.share s join record.participant p on p.zone = s.zone and p.share = s.id
            where s.zone = $1 and s.ended_seq is null and p.user_name = $2 and p.status = 2
            """, [.int8(zone.row.rawValue), .text(user)]
        ).map { $0.string(0) }
        return shares.isEmpty ? nil : shares.reduce(into: []) { $0.formUnion(members[$1] ?? []) }
    }
}
