import CloudKitModel
import CloudKitWire
import PostgresClient
import RequestServing
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// What participants may delete in the shared database (semantics 11.3).
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct ParticipantDeletionTests {
    private static func reference(_ name: String, _ action: String = "DELETE_SELF") -> JSONValue {
        ["recordName": .string(name), "action": .string(action)]
    }

    @Test(arguments: ["b", "list", "p"])
    func aDeletionThatWouldReachAnotherRecordFailsWhole(reached: String) async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, writer) = (scene.database, scene.zone, scene.writer)
            // A hidden record, the root, and one that the participant may only read, each behind one that may be
            // deleted.
            try await database.save(
                zone, database.operation("create", "c", ["r": Self.reference("a.1")], parent: "list"),
                database.operation("update", reached, ["r": Self.reference("c")]))
            #expect(try await writer.codes(zone, database.operation("delete", "a.1")) == [10])
            for name in ["a.1", "c", reached] {
                #expect(try await database.record(name, in: zone)["serverErrorCode"] == nil, "\(name)")
            }
            // An atomic request fails as a whole.
            let answer = try await writer.modify(
                zone, database.operation("update", "a", ["n": 3]), database.operation("delete", "a.1"), atomic: true)
            #expect(
                answer["records"]?.array?.map { $0["serverErrorCode"]?.string } == ["ATOMIC_ERROR", "ACCESS_DENIED"])
            // The owner deletes all of them, except a root that has children.
            let isRoot = reached == "list"
            #expect(try await database.codes(zone, database.operation("delete", "a.1")) == [isRoot ? 31 : nil])
            #expect((try await database.record("c", in: zone)["serverErrorCode"] == "NOT_FOUND") != isRoot)
        }
    }

    @Test func dependentsInTheShareAreDeletedWithTheRecord() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, writer) = (scene.database, scene.zone, scene.writer)
            #expect(
                try await writer.codes(
                    zone, database.operation("create", "c", ["r": Self.reference("a.1")], parent: "list"),
                    database.operation("create", "d", ["r": Self.reference("c")], parent: "list")) == [nil, nil])
            #expect(try await writer.codes(zone, database.operation("delete", "a.1")) == [nil])
            #expect(try await database.members(of: zone)["S"] == ["S", "list", "a"])
        }
    }

    @Test func aDeletionWithTooManyDependentsIsNotLeftToTheBackground() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, writer) = (scene.database, scene.zone, scene.writer)
            for index in 0..<6 {
                let parent = index == 5 ? "shelf" : "list"
                try await database.save(
                    zone, database.operation("create", "d\(index)", ["r": Self.reference("a.1")], parent: parent))
            }
            var limits = Limits()
            limits.maxCascade = 3
            #expect(try await writer.codes(zone, limits: limits, database.operation("delete", "a.1")) == [10])
            #expect(try await database.query("select from record.cascade").isEmpty)
            #expect(try await database.record("a.1", in: zone)["serverErrorCode"] == nil)
        }
    }

    @Test func theNameOfAHiddenRecordIsNotInAnError() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, writer) = (scene.database, scene.zone, scene.writer)
            try await database.save(zone, database.operation("update", "b", ["r": Self.reference("a.1", "VALIDATE")]))
            let answer = try await writer.modify(zone, database.operation("delete", "a.1"))
            #expect(answer["records"]?[0]?["ckErrorCode"] == 10)
            #expect(!String(decoding: answer.encoded(), as: UTF8.self).contains("'b'"))
            // A visible record is named.
            #expect(try await writer.codes(zone, database.operation("delete", "a")) == [31])
        }
    }

    @Test func aParticipantLeavesByDeletingTheShare() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, reader) = (scene.database, scene.zone, scene.reader)
            let token = try await reader.feed().token
            let answer = try await reader.modify(zone, database.operation("delete", "S"), messageID: "m")
            #expect(answer["records"]?[0]?["deleted"] == true, "\(answer)")
            let participants = try await database.record("S", in: zone)["participants"]?.array ?? []
            #expect(!participants.contains { $0["userIdentity"]?["userRecordName"]?.string == reader.user })
            let rows = try await database.query(
                """
                select p.status, p.until_seq = z.change_seq
                from record.participant p join record.zone z on z.id = p.zone
                where p.zone = $1 and p.user_name = $2
                """, [.int8(zone.row.rawValue), .text(reader.user)])
            #expect(rows.map { $0.int16(0) } == [AcceptanceStatus.unsubscribed.rawValue])
            #expect(rows.allSatisfy { $0.bool(1) })
            // Nothing else changed: the owner's records and the other participants stay.
            #expect(try await database.members(of: zone)["S"] == ["S", "list", "a", "a.1"])
            #expect(try await scene.writer.codes(zone, database.operation("update", "a", ["n": 2])) == [nil])
            #expect(try await reader.page(since: token)["serverErrorCode"] == "ZONE_NOT_FOUND")
            #expect(try await reader.codes(zone, database.operation("update", "a", ["n": 2])) == [26])
        }
    }

    @Test func whoLeavesOneShareOfSeveralSeesItsRecordsAsDeleted() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, writer) = (scene.database, scene.zone, scene.writer)
            let token = try await writer.feed().token
            #expect(try await writer.codes(zone, database.operation("forceDelete", "P")) == [nil])
            #expect(Set(try await writer.feed(since: token).names) == ["-album", "-p", "-P"])
            #expect(try await writer.codes(zone, database.operation("delete", "P")) == [11])
        }
    }

    @Test func aParticipantLeavesEveryShareByDeletingTheZone() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, writer) = (scene.database, scene.zone, scene.writer)
            #expect(try await writer.modifyZone("create", "Z")["ckErrorCode"] == 24)
            let first = try await writer.modifyZone("delete", "Z", messageID: "m")
            #expect(first["deleted"] == true, "\(first)")
            #expect(try await writer.ask(.zonesList, [:])["zones"]?.array == [])
            // The owner keeps the zone, the shares and the other participants.
            #expect(try await database.record("a", in: zone)["serverErrorCode"] == nil)
            #expect(try await scene.reader.look("a")["records"]?[0]?["serverErrorCode"] == nil)
            // A repeated request does not leave a share that was joined again.
            let tag = try await database.tag("B", in: zone)
            let participants = [RecordDatabase.participant(writer.user)]
            try await database.save(zone, database.share("update", "B", of: nil, tag: tag, participants: participants))
            try await writer.accept("B", in: zone)
            #expect(try await writer.modifyZone("delete", "Z", messageID: "m") == first)
            #expect(try await writer.look("q.1")["records"]?[0]?["serverErrorCode"] == nil)
            // It is not the deletion of the owner's zone.
            #expect(try await writer.modifyZone("delete", "Y")["ckErrorCode"] == 26)
        }
    }

    @Test func aWholeZoneIsWrittenAndLeft() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(zone, database.operation("create", "x"), database.operation("create", "y"))
            try await database.save(
                zone,
                database.share(
                    "create", "cloudkit.zoneshare", of: nil,
                    participants: [
                        RecordDatabase.participant(RecordDatabase.user("b")),
                        RecordDatabase.participant(RecordDatabase.user("c"), "READ_ONLY"),
                    ]))
            let (writer, reader) = (SharedReader(database, "b"), SharedReader(database, "c"))
            try await writer.accept("cloudkit.zoneshare", in: zone)
            try await reader.accept("cloudkit.zoneshare", in: zone)
            #expect(
                try await writer.codes(
                    zone, database.operation("create", "z"), database.operation("update", "x", parent: "y"),
                    database.operation("delete", "y")) == [nil, 31, nil])
            #expect(
                try await writer.codes(
                    zone, database.operation("create", "w"), database.operation("delete", "y")) == [nil, 11])
            #expect(
                try await reader.codes(
                    zone, database.operation("create", "v"), database.operation("delete", "x"),
                    database.operation("delete", "none")) == [10, 10, 11])
            #expect(try await reader.codes(zone, database.operation("delete", "cloudkit.zoneshare")) == [nil])
            #expect(try await reader.codes(zone, database.operation("delete", "x")) == [26])
            #expect(try await writer.codes(zone, database.operation("delete", "x")) == [nil])
        }
    }
}
