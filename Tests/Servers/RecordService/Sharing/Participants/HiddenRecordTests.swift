import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import RequestServing
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Writes in the shared database say nothing about what the caller may not see.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct HiddenRecordTests {
    private static let kinds = [
        "create", "update", "replace", "delete", "forceUpdate", "forceReplace", "forceDelete",
    ]

    @Test func aZoneThatAUserMayNotSeeIsAnsweredLikeOneThatDoesNotExist() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone) = (scene.database, scene.zone)
            let before = try await database.query(
                "select change_seq from record.zone where id = $1",
                [
                    .int8(zone.row.rawValue)
                ])[0].int64(0)
            for user in [scene.invited, scene.removed, scene.stranger] {
                for kind in Self.kinds {
                    for name in ["a", "S", "list", "none"] {
                        let operation = database.operation(kind, name, ["n": 9], parent: "a")
                        let messageID = UUID().uuidString
                        let hidden = try await user.modify(zone, operation, messageID: messageID)
                        let madeUp = try await user.modifyMissing("Y", operation)
                        #expect(hidden["ckErrorCode"] == 26)
                        #expect(SharedReader.text(hidden, without: "Z") == SharedReader.text(madeUp, without: "Y"))
                        // The refusal is kept, as that of a zone that does not exist.
                        let again = try await user.modify(zone, operation, messageID: messageID)
                        #expect(SharedReader.text(again) == SharedReader.text(hidden))
                    }
                }
                let (hidden, madeUp) = (
                    try await user.modifyZone("delete", "Z"), try await user.modifyZone("delete", "Y")
                )
                #expect(hidden["ckErrorCode"] == 26)
                #expect(SharedReader.text(hidden, without: "Z") == SharedReader.text(madeUp, without: "Y"))
            }
            let after = try await database.query(
                "select change_seq from record.zone where id = $1",
                [
                    .int8(zone.row.rawValue)
                ])[0].int64(0)
            #expect(after == before)
        }
    }

    @Test func theMessageIDOfARefusedRequestIsKeptAlikeForHiddenAndMissingZones() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (one, other) = (scene.database.operation("create", "x"), scene.database.operation("create", "y"))
            let messageID = UUID().uuidString
            _ = try await scene.stranger.modify(scene.zone, one, messageID: messageID)
            let reused = try await scene.stranger.modify(scene.zone, other, messageID: messageID)
            #expect(reused["reasonCode"] == "message_id_reused")
            _ = try await scene.stranger.modifyMissing("Y", one, messageID: "m")
            let missing = try await scene.stranger.modifyMissing("Y", other, messageID: "m")
            #expect(SharedReader.text(missing) == SharedReader.text(reused))
        }
    }

    @Test(arguments: ["b", "p", "shelf", "album"])
    func aRecordThatAUserMayNotSeeIsAnsweredLikeOneThatDoesNotExist(name: String) async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, reader) = (scene.database, scene.zone, scene.reader)
            let madeUpName = String(repeating: "z", count: name.utf8.count)
            let before = try await database.record(name, in: zone)
            for kind in Self.kinds {
                for (one, parent) in [(scene.reader, nil), (reader, "a"), (scene.other, nil)] as [(_, String?)] {
                    // The other user sees `P`.
                    if one.user == scene.other.user, ["p", "album"].contains(name) { continue }
                    let operation = { (name: String) in database.operation(kind, name, ["n": 9], parent: parent) }
                    let hidden = try await one.modify(zone, operation(name))
                    let madeUp = try await one.modify(zone, operation(madeUpName))
                    #expect(
                        SharedReader.text(hidden, without: name) == SharedReader.text(madeUp, without: madeUpName),
                        "\(kind)")
                }
            }
            #expect(try await database.record(name, in: zone) == before)
        }
    }

    @Test func aHiddenNameCannotBeCreated() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, writer) = (scene.database, scene.zone, scene.writer)
            for kind in ["create", "forceUpdate", "forceReplace"] {
                let answer = try await writer.modify(zone, database.operation(kind, "b", ["n": 1], parent: "a"))
                #expect(answer["records"]?[0]?["ckErrorCode"] == 10)
                #expect(answer["records"]?[0]?["serverRecord"] == nil)
            }
            #expect(
                try await writer.codes(zone, database.operation("update", "b"), database.operation("delete", "b"))
                    == [11, 11])
            #expect(try await writer.codes(zone, database.operation("forceDelete", "b")) == [nil])
            #expect(try await database.record("b", in: zone)["serverErrorCode"] == nil)
        }
    }

    @Test func aRepeatedRequestShowsNoFieldsToAUserWhoLostAccess() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, writer) = (scene.database, scene.zone, scene.writer)
            let operation = database.operation("update", "a", ["n": 41])
            func save() async throws -> JSONValue { try await writer.modify(zone, operation, messageID: "m1") }
            let first = try await save()
            #expect(first["records"]?[0]?["fields"]?["n"]?["value"] == 41)
            #expect(try await save()["records"] == first["records"])
            // The record leaves the share.
            let cleared: JSONValue = ["recordName": "a", "recordType": "Photo", "parent": nil]
            try await database.save(zone, ["operationType": "update", "record": cleared])
            let hidden = try await save()["records"]?[0]
            #expect(hidden?["recordName"] == "a")
            #expect(hidden?["fields"]?["n"] == nil)
            #expect(hidden?["fieldsOmitted"] == true)
            // Another user's id is another request.
            #expect(try await scene.stranger.modify(zone, operation, messageID: "m1")["ckErrorCode"] == 26)
            for share in ["S", "P", "B"] {
                let tag = try await database.tag(share, in: zone)
                try await database.save(zone, database.share("update", share, of: nil, tag: tag, participants: []))
            }
            let lost = try await save()
            let madeUp = try await writer.modifyMissing("Y", operation)
            #expect(SharedReader.text(lost, without: "Z") == SharedReader.text(madeUp, without: "Y"))
        }
    }

    @Test func rightsAreReadInTheTransactionThatUsesThem() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, writer) = (scene.database, scene.zone, scene.writer)
            let tag = try await database.tag("S", in: zone)
            let removal = try database.request(
                zone, database.share("update", "S", of: nil, tag: tag, participants: []))
            // Both are waiting when the transaction begins.
            let (answers, _) = try await database.write(
                removal, try writer.request(zone, [database.operation("update", "a", ["n": 5])]))
            #expect(answers[0]["records"]?[0]?["serverErrorCode"] == nil)
            #expect(answers[1]["records"]?[0]?["ckErrorCode"] == 11)
        }
    }

    @Test func onlyAUserWhoMaySeeAZoneIsToldThatItIsBusy() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let operation = scene.database.operation("update", "a")
            let hidden = try await scene.stranger.modifyMissing("Z", operation)
            let madeUp = try await scene.stranger.modifyMissing("Y", operation)
            #expect(SharedReader.text(hidden, without: "Z") == SharedReader.text(madeUp, without: "Y"))
            let error = await #expect(throws: ServerError.self) {
                _ = try await scene.writer.modifyMissing("Z", operation)
            }
            #expect(error?.reasonCode == "zone_busy")
        }
    }

    @Test func theSizeOfHiddenRecordsHasNoEffect() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone) = (scene.database, scene.zone)
            let text = JSONValue.string(String(repeating: "x", count: 950_000))
            for index in 0..<10 {
                try await database.save(zone, database.operation("create", "h\(index)", ["t": text]))
            }
            let operations = (0..<10).map { database.operation("update", "h\($0)", ["n": 1]) }
            let request = try scene.writer.request(zone, operations + [database.operation("update", "a", ["n": 5])])
            let codes = try await database.write(request).answers[0]["records"]?.array?.map { $0["ckErrorCode"]?.int }
            #expect(codes == Array(repeating: 11, count: 10) + [nil])
        }
    }
}
