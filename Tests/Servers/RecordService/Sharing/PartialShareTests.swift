import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Departures, which do not read the other participants of a share.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct PartialShareTests {
    /// A list that lacks participants would remove them when the client saves it.
    private func expectNoList(_ outcome: JSONValue?, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let record = try #require(outcome?["serverRecord"], "\(outcome ?? .null)", sourceLocation: sourceLocation)
        #expect(record["recordName"] == "S" && record["fieldsOmitted"] == true, sourceLocation: sourceLocation)
        for key in ["participants", "owner", "currentUserParticipant", "publicPermission"] {
            #expect(record[key] == nil, "\(record)", sourceLocation: sourceLocation)
        }
    }

    private func leave(_ scene: SharedScene, tag: String) -> JSONValue {
        scene.database.share("delete", "S", of: nil, tag: tag)
    }

    @Test func theConflictOfAStaleDepartureContainsNoList() async throws {
        try await SharedScene.with { scene in
            let old = try await scene.database.tag("S", in: scene.zone)
            try await scene.invited.accept("S", in: scene.zone)
            for _ in 0..<2 {
                let answer = try await scene.reader.modify(scene.zone, leave(scene, tag: old), messageID: "leave")
                #expect(answer["records"]?[0]?["ckErrorCode"] == 14)
                try expectNoList(answer["records"]?[0])
            }
            #expect(try await scene.reader.look("a")["records"]?[0]?["recordName"] == "a")
        }
    }

    @Test(arguments: [true, false])
    func aRepeatedConflictInTheBatchOfADepartureContainsNoList(isFirst: Bool) async throws {
        try await SharedScene.with { scene in
            let (database, zone) = (scene.database, scene.zone)
            let save = { @Sendable () throws -> WriteRequest in
                try database.request(
                    zone, [database.share("update", "S", of: nil, tag: "old", participants: [])], messageID: "save")
            }
            let first = try await database.write(try save()).answers[0]
            let list = try #require(first["records"]?[0]?["serverRecord"]?["participants"]?.array, "\(first)")
            #expect(list.count == 4)
            let tag = try await database.tag("S", in: zone)
            let departure = try scene.reader.request(zone, [leave(scene, tag: tag)])
            let requests = isFirst ? [try save(), departure] : [departure, try save()]
            let answers = try await database.write(requests[0], requests[1]).answers
            #expect(answers[isFirst ? 1 : 0]["records"]?[0]?["deleted"] == true, "\(answers)")
            try expectNoList(answers[isFirst ? 0 : 1]["records"]?[0])
            #expect(try await database.record("S", in: zone)["participants"]?.array?.count == 3)
        }
    }

    @Test func aDepartureAfterARefusedSaveMakesTheShareSmaller() async throws {
        try await SharedScene.with { scene in
            let (database, zone) = (scene.database, scene.zone)
            let before = try await size(scene)
            let tag = try await database.tag("S", in: zone)
            let refused = try database.request(
                zone, database.share("update", "S", of: nil, tag: tag, participants: [["participantId": "none"]]))
            let departure = try scene.reader.request(zone, [leave(scene, tag: tag)])
            let answers = try await database.write(refused, departure).answers
            #expect(answers[0]["records"]?[0]?["reasonCode"] == "participant_invalid", "\(answers)")
            #expect(answers[1]["records"]?[0]?["deleted"] == true, "\(answers)")
            #expect(try await size(scene) < before)
        }
    }

    private func size(_ scene: SharedScene) async throws -> Int64 {
        let table = scene.zone.database.environment.recordTable
        let rows = try await scene.database.query(
            PostgresStatement("select size::int8 from \(table) where name = 'S'"))
        return try #require(rows.first?.int64(0))
    }
}
