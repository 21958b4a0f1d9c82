import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// The changes of the background job, as other services learn of them.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct MoveEventTests {
    private static func shares(_ scene: MoveScene) async throws -> [String: Int64] {
        let rows = try await scene.database.query("select name, id from record.share where ended_seq is null")
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.string(0), $0.int64(1)) })
    }

    @Test func theLogNamesTheSharesThatRecordsEnterAndLeave() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let (database, zone) = (scene.database, scene.zone)
            let ids = try await Self.shares(scene)
            let request = try database.request(zone, database.operation("update", "box", parent: "p"))
            let event = try #require(try await database.write(request, limits: MoveScene.limits).events.first)
            let record = try #require(try event.changedRecords()?.first)
            #expect(record.shares == ChangedRecord.Shares(before: ids["S"], after: ids["T"], movesBelow: true))
            try await database.moveRecords(recordsPerStep: 2)
            let log = try await database.ask(
                .changesLog, ["incarnation": .string(zone.incarnation.uuidString), "afterSeq": .int(event.toSeq)])
            let events = try #require(log["events"]?.array).map { try ChangeEvent($0) }
            #expect(events.count > 1)
            var next = event.toSeq + 1
            for event in events {
                #expect(event.fromSeq == next && event.toSeq == next)
                #expect(event.records == Array("[]".utf8) && event.user == RecordDatabase.user)
                #expect(Set(event.shares?.unlisted ?? []) == Set([ids["S"], ids["T"]].compactMap(\.self)))
                next += 1
            }
            #expect(log["changeSeq"]?.int == next - 1)
            // What a subscription service reads when the log is gone.
            try await database.query("delete from record.change")
            let merged = try await database.ask(
                .changesLog, ["incarnation": .string(zone.incarnation.uuidString), "afterSeq": .int(event.toSeq)])
            let rest = try ChangeEvent(try #require(merged["events"]?[0]))
            #expect(rest.isMerged && rest.toSeq == next - 1)
            #expect(Set(rest.shares?.unlisted ?? []) == Set([ids["S"], ids["T"]].compactMap(\.self)))
        }
    }

    @Test func theOwnersDatabaseHasNotChangedButThatOfTheParticipantsHas() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            try await scene.move("box", below: "p")
            let owner = try #require(try await scene.database.ask(.changesDatabase, [:])["syncToken"]?.string)
            let readers = [scene.one, scene.other]
            var tokens: [String] = []
            for reader in readers {
                tokens.append(try #require(try await reader.ask(.changesDatabase, [:])["syncToken"]?.string))
            }
            try await scene.database.moveRecords()
            let unchanged = try await scene.database.ask(.changesDatabase, ["syncToken": .string(owner)])
            #expect(unchanged.zoneChanges == [])
            for (reader, token) in zip(readers, tokens) {
                let changed = try await reader.ask(.changesDatabase, ["syncToken": .string(token)])
                #expect(changed.zoneChanges == ["Z"])
            }
        }
    }
}
