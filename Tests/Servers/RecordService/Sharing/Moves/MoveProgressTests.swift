import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// The background job ends, whatever participants do in the meantime and however the records are arranged.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct MoveProgressTests {
    /// The records whose children the job has yet to examine, each with the child that it examined last.
    private static func pending(_ database: RecordDatabase) async throws -> [String] {
        try await database.query("select name || '>' || after from record.share_move order by name").map {
            $0.string(0)
        }
    }

    @Test func aParticipantWhoKeepsMovingRecordsDoesNotKeepOthersFromJoining() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let (database, zone) = (scene.database, scene.zone)
            let (new, writer) = (SharedReader(database, "d"), scene.one)
            let all = [writer.user, new.user].map { RecordDatabase.participant($0) }
            try await scene.save(
                database.share(
                    "update", "S", of: nil, tag: try await database.tag("S", in: zone), participants: all))
            let link = try #require(try await database.record("S", in: zone)["shortGUID"])
            for number in 0..<3 { try await scene.save(database.operation("create", "w\(number)", parent: "c2")) }
            try await scene.move("c2", below: "shelf")
            #expect(try await Self.pending(database) == ["c2>"])
            var (moves, status) = (0, JSONValue.null)
            while status != "ACCEPTED", moves < 20 {
                let move = database.operation("update", "box", parent: moves % 2 == 0 ? "a" : "list")
                #expect(try await writer.codes(zone, limits: MoveScene.limits, move) == [nil])
                try await database.moveRecords(steps: 1, recordsPerStep: 1)
                moves += 1
                let result = try await database.links(.recordsAccept, ["value": link], by: new.user).results[0]
                status = result["participantStatus"] ?? .null
            }
            #expect(status == "ACCEPTED")
            #expect(
                Set(try await new.feed().names) == MoveScene.tree.union(["S", "list", "a"]).subtracting(["c2", "d2"]))
        }
    }

    @Test func aMoveWithinAShareIsLeftToTheJobOnlyIfTheJobWouldNotReachTheRecords() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let (database, zone) = (scene.database, scene.zone)
            try await scene.move("box", below: "p")
            try await database.moveRecords(steps: 1, recordsPerStep: 1)
            // The job examines the other children of `box` wherever it is.
            try await scene.move("box", below: "album")
            #expect(try await Self.pending(database) == ["box>c0", "c0>"])
            try await scene.move("c1", below: "p")
            #expect(try await Self.pending(database) == ["box>c0", "c0>", "c1>"])
            try await database.moveRecords(recordsPerStep: 1)
            let members = try await database.members(of: zone)
            #expect(members == ["S": ["S", "list", "a"], "T": MoveScene.tree.union(["T", "album", "p"])])
        }
    }

    /// The job has examined some children of `c1` when `box` leaves the share. Then `c1` moves within its new share.
    @Test func childrenThatWereExaminedBeforeARecordAboveMovedAreExaminedAgain() async throws {
        try await MoveScene.with(boxIn: "shelf") { scene in
            let (database, zone) = (scene.database, scene.zone)
            for number in 0..<9 { try await scene.save(database.operation("create", "w\(number)", parent: "c1")) }
            try await scene.move("box", below: "list")
            while try await database.query(
                "select from record.share_move where name = 'c1' and after > 'w3'"
            ).isEmpty {
                try #require(try await database.moveRecords(steps: 1, recordsPerStep: 2) == 1)
            }
            try await scene.move("box", below: "p")
            try await scene.move("c1", below: "album")
            try await database.moveRecords(recordsPerStep: 2)
            let all = MoveScene.tree.union((0..<9).map { "w\($0)" }).union(["T", "album", "p"])
            #expect(try await database.members(of: zone) == ["S": ["S", "list", "a"], "T": all])
        }
    }

    @Test func aParticipantWaitsUntilTheRecordsBelowHaveEntered() async throws {
        try await MoveScene.with(boxIn: "shelf") { scene in
            let (database, zone, writer) = (scene.database, scene.zone, scene.one)
            try await scene.move("box", below: "list")
            while try await database.query(
                "select from record.record where name = 'c0' and share is not null"
            ).isEmpty {
                try #require(try await database.moveRecords(steps: 1, recordsPerStep: 1) == 1)
            }
            let pending = try await Self.pending(database)
            let move = database.operation("update", "c0", parent: "a")
            let busy = try await writer.modify(zone, move, limits: MoveScene.limits, messageID: "move")
            #expect(busy["ckErrorCode"] == 23 && busy["reasonCode"] == "zone_busy", "\(busy)")
            #expect(try await Self.pending(database) == pending)
            // Other saves do not wait.
            #expect(try await writer.codes(zone, database.operation("update", "c0", ["n": 2])) == [nil])
            try await database.moveRecords()
            // A repeat with the same ID is executed.
            let moved = try await writer.modify(zone, move, limits: MoveScene.limits, messageID: "move")
            #expect(moved["records"]?[0]?["parent"]?["recordName"] == "a", "\(moved)")
            #expect(try await database.members(of: zone)["S"] == MoveScene.tree.union(["S", "list", "a"]))
        }
    }

    @Test func recordsBelowALongChainOfParentsMove() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let (database, zone) = (scene.database, scene.zone)
            let chain = (0..<300).map { "e\($0)" }
            let leaves = (0..<50).map { "w\($0)" }
            let operations =
                zip(["c1"] + chain, chain).map { database.operation("create", $1, parent: $0) }
                + leaves.map { database.operation("create", $0, parent: "e299") }
                + leaves.map { database.operation("create", "x" + $0, parent: $0) }
            for part in stride(from: 0, to: operations.count, by: 100) {
                let part = Array(operations[part..<min(part + 100, operations.count)])
                try await database.write(try database.request(zone, part, atomic: true))
            }
            try await scene.move("box", below: "p")
            try await database.moveRecords(recordsPerStep: 60)
            let all = MoveScene.tree.union(chain + leaves + leaves.map { "x" + $0 })
            #expect(try await database.members(of: zone)["T"] == all.union(["T", "album", "p"]))
        }
    }
}
