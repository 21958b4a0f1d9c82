import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Moves of more records into and out of shares than one transaction moves.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct LargeMoveTests {
    @Test func aLargeTreeEntersAShareInTheBackground() async throws {
        try await MoveScene.with(boxIn: "shelf") { scene in
            let (database, zone) = (scene.database, scene.zone)
            let tags = try await [database.tag("c0", in: zone), database.tag("d0", in: zone)]
            let (token, owners) = (try await scene.one.feed().token, try await database.feed().token)
            try await scene.move("box", below: "list")
            #expect(try await database.moves(in: zone) == .entering)
            let moved = try await scene.one.feed(since: token)
            #expect(moved.names == ["box"], "the record itself is visible at once")
            try await database.moveRecords()
            #expect(try await database.moves(in: zone) == .none)
            #expect(try await database.members(of: zone)["S"] == MoveScene.tree.union(["S", "list", "a"]))
            let entered = try await scene.one.feed(since: moved.token, limit: 2)
            #expect(Set(entered.names) == MoveScene.contents)
            let after = try await [database.tag("c0", in: zone), database.tag("d0", in: zone)]
            #expect(after == tags)
            #expect(try await database.feed(since: owners).names == ["box"])
        }
    }

    @Test func whatLeavesIsTombstonesForTokensOfAnyMoment() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let database = scene.database
            let before = try await scene.one.feed()
            #expect(Set(before.names) == MoveScene.tree.union(["S", "list", "a"]))
            try await scene.move("box", below: "shelf")
            #expect(try await database.moves(in: scene.zone) == .leaving)
            let between = try await scene.one.feed(since: before.token)
            #expect(between.names == ["-box"])
            #expect(Set(try await scene.one.feed().names) == ["S", "list", "a"])
            try await database.moveRecords(recordsPerStep: 2)
            #expect(try await database.members(of: scene.zone)["S"] == ["S", "list", "a"])
            let gone = Set(MoveScene.contents.map { "-" + $0 })
            #expect(Set(try await scene.one.feed(since: between.token, limit: 2).names) == gone)
            #expect(Set(try await scene.one.feed(since: before.token).names) == gone.union(["-box"]))
        }
    }

    /// A step of the job ends in the middle of the children of `c1`. Then `box` moves back.
    @Test(arguments: [("shelf", "list"), ("list", "shelf")])
    func whatReturnsWhileTheJobIsInTheMiddleOfItIsExaminedAgain(from: String, to: String) async throws {
        try await MoveScene.with(boxIn: from) { scene in
            let (database, zone) = (scene.database, scene.zone)
            for number in 0..<40 {
                try await scene.save(database.operation("create", "w\(number)", parent: "c1"))
            }
            let before = try await database.members(of: zone)["S"]
            try await scene.move("box", below: to)
            for recordsPerStep in 5..<9 {
                try await database.moveRecords(steps: 1, recordsPerStep: recordsPerStep)
            }
            try await scene.move("box", below: from)
            try await database.moveRecords(recordsPerStep: 7)
            #expect(try await database.moves(in: zone) == .none)
            #expect(try await database.members(of: zone)["S"] == before)
        }
    }

    @Test func aLargeTreeMovesFromOneShareToAnother() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let (one, other) = (try await scene.one.feed().token, try await scene.other.feed().token)
            try await scene.move("box", below: "p")
            #expect(try await scene.one.feed(since: one).names == ["-box"])
            #expect(try await scene.other.feed(since: other).names == ["box"])
            try await scene.database.moveRecords()
            let members = try await scene.database.members(of: scene.zone)
            #expect(members == ["S": ["S", "list", "a"], "T": MoveScene.tree.union(["T", "album", "p"])])
            #expect(Set(try await scene.one.feed(since: one).names) == Set(MoveScene.tree.map { "-" + $0 }))
            #expect(Set(try await scene.other.feed(since: other).names) == MoveScene.tree)
        }
    }

    @Test func aShareOfALargeTreeBeginsAndEndsWhileItsRecordsEnter() async throws {
        try await MoveScene.with(boxIn: "shelf") { scene in
            let (database, zone) = (scene.database, scene.zone)
            let participants = [RecordDatabase.participant(scene.one.user)]
            try await scene.save(database.share("create", "B", of: "box", participants: participants))
            #expect(try await database.moves(in: zone) == .entering)
            try await scene.one.accept("B", in: zone)
            #expect(Set(try await scene.one.feed().names) == ["S", "list", "a", "B", "box"])
            try await database.moveRecords(steps: 1, recordsPerStep: 2)
            try await scene.save(database.operation("delete", "B"))
            let token = try await scene.one.feed().token
            try await database.moveRecords(recordsPerStep: 2)
            try await database.reclaim(retention: .seconds(3600))
            #expect(try await database.members(of: zone)["B"] == nil)
            #expect(Set(try await scene.one.feed().names) == ["S", "list", "a"])
            // The root is shared again, and again.
            try await scene.save(database.share("create", "C", of: "box", participants: participants))
            try await scene.save(database.operation("delete", "C"))
            try await scene.save(database.share("create", "D", of: "box", participants: participants))
            try await scene.one.accept("D", in: zone)
            try await database.moveRecords(recordsPerStep: 3)
            try await database.reclaim(retention: .seconds(3600))
            #expect(try await database.members(of: zone)["D"] == MoveScene.tree.union(["D"]))
            #expect(Set(try await scene.one.feed(since: token).names) == MoveScene.tree.union(["D"]))
        }
    }

    @Test func anInterruptedJobContinues() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            try await scene.move("box", below: "shelf")
            var steps = 0
            while try await scene.database.moveRecords(steps: 1, recordsPerStep: 1) == 1 {
                steps += 1
                #expect(Set(try await scene.one.feed().names) == ["S", "list", "a"])
            }
            #expect(steps > 6)
            #expect(try await scene.database.members(of: scene.zone)["S"] == ["S", "list", "a"])
        }
    }

    @Test func recordsMoveIntoOutOfAndWithinATreeThatMoves() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let (database, zone) = (scene.database, scene.zone)
            try await scene.move("box", below: "shelf")
            // Out of the tree: `c0` returns with `d0`. Into it: `a` leaves. Within it: `d1`.
            try await scene.move("c0", below: "list")
            try await scene.move("a", below: "c1")
            try await scene.move("d1", below: "c2")
            try await scene.save(
                database.operation("create", "x", parent: "d2"), database.operation("create", "y", parent: "d0"))
            try await database.moveRecords(steps: 1, recordsPerStep: 2)
            try await scene.move("c2", below: "p")
            try await database.moveRecords(recordsPerStep: 2)
            #expect(
                try await database.members(of: zone) == [
                    "S": ["S", "list", "c0", "d0", "y"], "T": ["T", "album", "p", "c2", "d1", "d2", "x"],
                ])
            #expect(Set(try await scene.one.feed().names) == ["S", "list", "c0", "d0", "y"])
            #expect(Set(try await scene.other.feed().names) == ["T", "album", "p", "c2", "d1", "d2", "x"])
        }
    }

    @Test func aTreeThatReturnsIsDeliveredAgain() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let before = try await scene.one.feed().token
            try await scene.save(scene.database.operation("update", "d0", ["n": 2]))
            try await scene.move("box", below: "shelf")
            // The change of `d0` is passed while it is hidden.
            let between = try await scene.one.feed(since: before)
            #expect(between.names == ["-box"])
            try await scene.move("box", below: "list")
            try await scene.database.moveRecords(recordsPerStep: 2)
            let after = try await scene.one.feed(since: between.token)
            #expect(Set(after.names) == MoveScene.tree)
            #expect(try await scene.database.members(of: scene.zone)["S"] == MoveScene.tree.union(["S", "list", "a"]))
        }
    }

    @Test func aDeletionOfTheMovedRecordLeavesNothingInTheShare() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let database = scene.database
            let (before, reference) = (try await scene.one.feed().token, RecordDatabase.reference("box"))
            for index in 0..<3 {
                try await scene.save(database.operation("update", "c\(index)", ["o": reference]))
            }
            try await scene.move("box", below: "shelf")
            try await scene.save(database.operation("delete", "box"))
            #expect(Set(try await scene.one.feed().names) == ["S", "list", "a"])
            try await database.moveRecords(steps: 1, recordsPerStep: 1)
            let job = CascadeJob(pool: database.pool, schema: database.store.schema, logger: RecordDatabase.logger)
            while try await job.runOnce() {}
            #expect(Set(try await scene.one.feed().names) == ["S", "list", "a"])
            try await database.moveRecords()
            #expect(try await database.members(of: scene.zone)["S"] == ["S", "list", "a"])
            let gone = Set(try await scene.one.feed(since: before).names)
            #expect(gone.isSuperset(of: MoveScene.tree.map { "-" + $0 }), "\(gone)")
        }
    }

    @Test func endedShareWithPendingMovesIsEmptied() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let (database, before) = (scene.database, try await scene.one.feed().token)
            try await scene.move("box", below: "p")
            try await scene.endShare()
            #expect(try await scene.one.page(since: before)["serverErrorCode"] == "ZONE_NOT_FOUND")
            try await database.reclaim(retention: .seconds(3600))
            try await database.moveRecords()
            #expect(try await database.members(of: scene.zone) == ["T": MoveScene.tree.union(["T", "album", "p"])])
            #expect(Set(try await scene.other.feed().names) == MoveScene.tree.union(["T", "album", "p"]))
        }
    }

    @Test func aZoneThatIsDeletedEndsItsMoves() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let database = scene.database
            try await scene.move("box", below: "shelf")
            _ = try await database.ask(
                .zonesModify, ["operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "Z"]]]]])
            try await database.moveRecords()
            try await database.reclaim()
            #expect(try await database.query("select from record.share_move").isEmpty)
            #expect(try await database.query("select from record.job where kind = 'share.move'").isEmpty)
        }
    }

    @Test func aTreeWithASharedRootCannotEnterAShare() async throws {
        try await MoveScene.with(boxIn: "shelf") { scene in
            let (database, zone) = (scene.database, scene.zone)
            try await scene.save(database.share("create", "D", of: "d1"))
            let move = database.operation("update", "box", parent: "list")
            #expect(try await database.codes(zone, limits: MoveScene.limits, move) == [30])
            let shelf = database.operation("update", "shelf", parent: "list")
            #expect(try await database.codes(zone, limits: MoveScene.limits, shelf) == [30])
            let share = database.share("create", "B", of: "box")
            #expect(try await database.codes(zone, limits: MoveScene.limits, share) == [30])
            #expect(try await database.moves(in: zone) == .none)
            // Without the root, the tree may enter.
            try await scene.save(database.operation("delete", "D"), move)
            try await database.moveRecords()
            #expect(try await database.members(of: zone)["S"] == MoveScene.tree.union(["S", "list", "a"]))
            // The root of another share cannot enter, whether or not a move is pending.
            try await scene.move("box", below: "shelf")
            let album = database.operation("update", "album", parent: "a")
            #expect(try await database.codes(zone, limits: MoveScene.limits, album) == [30])
        }
    }

    @Test func aWideTreeMovesInPieces() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let database = scene.database
            let names = (0..<40).map { "w\($0)" }
            let operations = names.map { database.operation("create", $0, parent: "c1") }
            try await database.write(try database.request(scene.zone, operations, atomic: true))
            try await scene.move("box", below: "p")
            #expect(try await database.moveRecords(recordsPerStep: 7) > 5)
            #expect(
                try await database.members(of: scene.zone)["T"]
                    == MoveScene.tree.union(names).union(["T", "album", "p"]))
        }
    }
}
