import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// What leaves a share is hidden from its participants at once, although the background job has not moved it yet.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct HiddenAtOnceTests {
    /// `box` has left `S`; no step of the job has run. `zz` and `z0` are names that do not exist.
    private static func with(_ body: @escaping @Sendable (MoveScene) async throws -> Void) async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            try await scene.move("box", below: "shelf")
            try await body(scene)
        }
    }

    private static func texts(_ hidden: JSONValue, _ madeUp: JSONValue, _ names: (String, String)) -> [String] {
        [SharedReader.text(hidden, without: names.0), SharedReader.text(madeUp, without: names.1)]
    }

    @Test(arguments: [("c0", "z0"), ("d1", "z1"), ("box", "zzz")])
    func lookUpsAndWritesAnswerAsForANameThatNeverWas(names: (hidden: String, madeUp: String)) async throws {
        try await Self.with { scene in
            let (database, zone, reader) = (scene.database, scene.zone, scene.one)
            let before = try await database.record(names.hidden, in: zone)
            let looked = try await (reader.look(names.hidden), reader.look(names.madeUp))
            #expect(looked.0["records"]?[0]?["ckErrorCode"] == 11)
            var pairs = [Self.texts(looked.0, looked.1, names)]
            for kind in ["create", "update", "replace", "delete", "forceUpdate", "forceReplace", "forceDelete"] {
                for parent in [nil, "a"] as [String?] {
                    // A made-up name below `a` could be created.
                    if parent != nil, ["create", "forceUpdate", "forceReplace"].contains(kind) { continue }
                    let operation = { (name: String) in database.operation(kind, name, ["n": 9], parent: parent) }
                    let answers = try await (
                        reader.modify(zone, operation(names.hidden)), reader.modify(zone, operation(names.madeUp))
                    )
                    pairs.append(Self.texts(answers.0, answers.1, names))
                }
            }
            for action in ["VALIDATE", "DELETE_SELF"] {
                let operation = { (name: String) in
                    let value: JSONValue = ["recordName": .string(name), "action": .string(action)]
                    return database.operation("update", "a", ["r": value])
                }
                let answers = try await (
                    reader.modify(zone, operation(names.hidden)), reader.modify(zone, operation(names.madeUp))
                )
                #expect(answers.0["records"]?[0]?["ckErrorCode"] == 31)
                pairs.append(Self.texts(answers.0, answers.1, names))
            }
            for pair in pairs { #expect(pair[0] == pair[1]) }
            for kind in ["create", "forceUpdate", "forceReplace"] {
                #expect(try await reader.codes(zone, database.operation(kind, names.hidden, parent: "a")) == [10])
            }
            #expect(try await database.record(names.hidden, in: zone) == before)
        }
    }

    @Test func nothingIsCreatedBelowAHiddenRecord() async throws {
        try await Self.with { scene in
            let below = { (parent: String) in
                let answer = try await scene.one.modify(
                    scene.zone, scene.database.operation("create", "new", parent: parent))
                return SharedReader.text(answer, without: parent)
            }
            let (hidden, madeUp) = (try await below("d0"), try await below("zz"))
            #expect(hidden == madeUp)
            let inside = scene.database.operation("update", "a", parent: "d0")
            #expect(try await scene.one.codes(scene.zone, inside) == [31])
        }
    }

    @Test func queriesAndCountsLeaveHiddenRecordsOut() async throws {
        try await Self.with { scene in
            let (database, reader) = (scene.database, scene.one)
            for isBuilt in [false, true] {
                if isBuilt { try await database.buildIndexes() }
                // Hidden members are not counted, unless there are too many of them.
                for (limit, reason) in [(4, nil), (2, "scan_too_large")] as [(Int, JSONValue?)] where !isBuilt {
                    var limits = Limits()
                    limits.maxScannedRecords = limit
                    #expect(try await reader.find("n == 7", limits: limits)["reasonCode"] == reason)
                }
                #expect(Set(try await reader.find().names) == ["list", "a"])
                #expect(try await reader.find("n == 1").names == [])
                let counted = try await reader.run(
                    .recordsAggregate, zone: SharedReader.zoneID("Z"), "Photo", "TRUEPREDICATE",
                    with: [.init("aggregates", [["function": "COUNT"]])])
                #expect(counted["results"]?[0]?["aggregates"]?[0]?["value"]?["value"] == 2)
            }
            var limits = Limits()
            limits.maxScannedRecords = 4
            #expect(try await reader.find("n == 7", limits: limits).names == [], "hidden members are not counted")
            let told = try await reader.run(.recordsExplain, zone: SharedReader.zoneID("Z"), "Photo", "n == 1")
            #expect(told["ckErrorCode"] == 10)
            // The owner sees everything.
            #expect(try await database.find("Photo", "n == 1").names.count == 7)
        }
    }

    @Test func aDeletionDoesNotReachHiddenRecords() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let (database, zone) = (scene.database, scene.zone)
            try await scene.save(database.operation("update", "d0", ["o": RecordDatabase.reference("a")]))
            try await scene.move("box", below: "shelf")
            #expect(try await scene.one.codes(zone, database.operation("delete", "a")) == [10])
            #expect(try await database.record("d0", in: zone)["serverErrorCode"] == nil)
        }
    }

    @Test func aRepeatedRequestShowsNoFieldsOfAHiddenRecord() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let operation = scene.database.operation("update", "d0", ["n": 41])
            let first = try await scene.one.modify(scene.zone, operation, messageID: "m1")
            #expect(first["records"]?[0]?["fields"]?["n"]?["value"] == 41)
            try await scene.move("box", below: "shelf")
            let again = try await scene.one.modify(scene.zone, operation, messageID: "m1")
            #expect(again["records"]?[0]?["fieldsOmitted"] == true, "\(again)")
            #expect(again["records"]?[0]?["fields"]?["n"] == nil, "\(again)")
        }
    }

    @Test func theNameOfARecordThatWasCreatedWhileHiddenIsNeverTold() async throws {
        try await Self.with { scene in
            let token = try await scene.one.feed().token
            try await scene.save(
                scene.database.operation("create", "secret", parent: "d0"),
                scene.database.operation("update", "d1", ["n": 5]))
            try await scene.database.moveRecords(steps: 1, recordsPerStep: 2)
            try await scene.save(scene.database.operation("delete", "secret"))
            try await scene.database.moveRecords()
            #expect(
                Set(try await scene.one.feed(since: token).names) == Set(MoveScene.contents.map { "-" + $0 }))
        }
    }

    @Test func accessIsNotGainedWhileRecordsLeave() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let (database, zone) = (scene.database, scene.zone)
            let (new, writer) = (SharedReader(database, "d"), scene.one)
            let all = [writer.user, new.user].map { RecordDatabase.participant($0) }
            let link = try #require(try await database.record("S", in: zone)["shortGUID"])
            try await scene.save(
                database.share(
                    "update", "S", of: nil, tag: try await database.tag("S", in: zone), participants: all))
            try await scene.move("box", below: "shelf")
            let accept = {
                try await database.links(.recordsAccept, ["value": link], by: new.user, messageID: "accept").results[0]
            }
            let refused = try await accept()
            #expect(refused["ckErrorCode"] == 23 && refused["retryAfter"]?.int ?? 0 > 0, "\(refused)")
            #expect(try await new.page(since: nil)["serverErrorCode"] == "ZONE_NOT_FOUND")
            // Who has access can lose it, and another permission gives none.
            try await scene.save(
                database.share(
                    "update", "S", of: nil, tag: try await database.tag("S", in: zone),
                    participants: [RecordDatabase.participant(writer.user, "READ_ONLY"), all[1]]))
            try await database.moveRecords()
            // A repeat with the same ID is executed.
            let accepted = try await accept()
            #expect(accepted["participantStatus"] == "ACCEPTED", "\(accepted)")
            let feed = try await new.feed()
            #expect(Set(feed.names) == ["S", "list", "a"])
        }
    }

    @Test func theOwnerGivesAccessWithARepeatOfTheRefusedRequest() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let (database, zone, reader) = (scene.database, scene.zone, scene.one)
            func share(_ permission: String) async throws -> JSONValue {
                database.share(
                    "update", "S", of: nil, tag: try await database.tag("S", in: zone),
                    participants: [RecordDatabase.participant(reader.user, permission)])
            }
            try await scene.save(try await share("NONE"))
            try await scene.move("box", below: "shelf")
            let request = try database.request(zone, [try await share("READ_ONLY")], messageID: "share")
            let refused = try await database.write(request).answers[0]
            #expect(refused["ckErrorCode"] == 23 && refused["reasonCode"] == "zone_busy", "\(refused)")
            try await database.moveRecords()
            let saved = try await database.write(request).answers[0]
            #expect(saved["records"]?[0]?["serverErrorCode"] == nil && saved["records"] != nil, "\(saved)")
            #expect(Set(try await reader.feed().names) == ["S", "list", "a"])
        }
    }

    /// The owner deletes hidden records: one by name, another along with a third record, and one in the background.
    @Test func aHiddenRecordThatIsDeletedAnswersAsANameThatNeverWas() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let (database, zone, reader) = (scene.database, scene.zone, scene.one)
            try await scene.save(
                database.operation("create", "key"), database.operation("create", "lock"),
                database.operation("update", "d1", ["o": RecordDatabase.reference("key")]))
            for index in 0..<3 {
                try await scene.save(
                    database.operation(
                        "create", "e\(index)", ["o": RecordDatabase.reference("lock")], parent: "box"))
            }
            let token = try await reader.feed().token
            try await scene.move("box", below: "shelf")
            try await scene.save(database.operation("delete", "d0"), database.operation("delete", "key"))
            try await scene.save(database.operation("delete", "lock"))
            let job = CascadeJob(pool: database.pool, schema: database.store.schema, logger: RecordDatabase.logger)
            while try await job.runOnce() {}
            for (name, madeUp) in [("d0", "z0"), ("d1", "z1"), ("e2", "z2")] {
                #expect(try await database.record(name, in: zone)["serverErrorCode"] == "NOT_FOUND")
                for kind in ["update", "replace", "delete", "forceDelete"] {
                    let answers = try await (
                        reader.modify(zone, database.operation(kind, name)),
                        reader.modify(zone, database.operation(kind, madeUp))
                    )
                    let texts = Self.texts(answers.0, answers.1, (name, madeUp))
                    #expect(texts[0] == texts[1], "\(kind) \(name)")
                }
            }
            try await database.moveRecords()
            let gone = Set(MoveScene.tree.union(["e0", "e1", "e2"]).map { "-" + $0 })
            #expect(Set(try await reader.feed(since: token).names) == gone)
            #expect(try await database.members(of: zone)["S"] == ["S", "list", "a"])
        }
    }

    @Test func hiddenRecordsDoNotMakePagesSlow() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let (database, zone, reader) = (scene.database, scene.zone, scene.one)
            let operations = (0..<100).map { database.operation("create", "w\($0)", parent: "c1") }
            try await database.write(try database.request(zone, operations, atomic: true))
            try await database.save(zone, database.operation("create", "last", parent: "list"))
            try await scene.move("box", below: "shelf")
            for reverse in [false, true] {
                #expect(Set(try await reader.feed(limit: 5, reverse: reverse).names) == ["S", "list", "a", "last"])
            }
            var access = try #require(
                try await database.pool.withConnection {
                    ShareAccessTable.access(
                        try await $0.pipeline([ShareAccessTable.read(of: reader.user, in: zone.row)])[0])
                })
            access.moves = .leaving
            let feed = SharedFeedTable(zone.database.environment, zone.row, access)
            let range = SharedFeedRange(after: .start, horizon: .max)
            let read = try await database.rowsRead(feed.members(in: range, limit: 5, maxBytes: 1 << 20))
            #expect(read.contains { $0.key.contains("share_seq") }, "\(read)")
            #expect(read.allSatisfy { $0.value <= 50 }, "\(read)")
        }
    }

    @Test func theExplanationSaysThatAMoveIsPending() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let (database, zone) = (scene.database, scene.zone)
            func explain(_ record: String, _ user: String) async throws -> JSONValue {
                try await database.ask(
                    .sharesExplain,
                    [
                        "container": .string(RecordDatabase.container), "environment": "development",
                        "owner": .string(RecordDatabase.user), "zone": .string(zone.address.zone.rawValue),
                        "recordName": .string(record), "user": .string(user),
                    ])
            }
            #expect(try await explain("d0", scene.one.user)["right"] == "READ_WRITE")
            try await scene.move("box", below: "p")
            let entering = try await explain("d0", scene.other.user)
            #expect(entering["right"] == "NONE" && entering["missing"] == "membership")
            #expect(entering["explanation"]?.string?.contains("background job") == true)
            #expect(try await explain("d0", scene.one.user)["right"] == "NONE")
            try await database.moveRecords()
            #expect(try await explain("d0", scene.other.user)["right"] == "READ_WRITE")
        }
    }

    @Test func aLargeMoveByAParticipantIsRefused() async throws {
        try await MoveScene.with(boxIn: "list") { scene in
            let (database, zone) = (scene.database, scene.zone)
            let tag = try await database.tag("T", in: zone)
            let users = [scene.one.user, scene.other.user].map { RecordDatabase.participant($0) }
            try await scene.save(database.share("update", "T", of: nil, tag: tag, participants: users))
            try await scene.one.accept("T", in: zone)
            let move = database.operation("update", "box", parent: "p")
            #expect(try await scene.one.codes(zone, limits: MoveScene.limits, move) == [10])
            #expect(try await database.moves(in: zone) == .none)
            // Within the share, a participant may move a tree of any size, also while another one moves.
            let within = database.operation("update", "box", parent: "a")
            #expect(try await scene.one.codes(zone, limits: MoveScene.limits, within) == [nil])
            for number in 0..<3 { try await scene.save(database.operation("create", "w\(number)", parent: "c2")) }
            try await scene.move("c2", below: "shelf")
            #expect(try await database.moves(in: zone) == .leaving)
            try await scene.move("c1", below: "c2")
            let back = database.operation("update", "box", parent: "list")
            #expect(try await scene.one.codes(zone, limits: MoveScene.limits, back) == [nil])
            try await database.moveRecords(recordsPerStep: 1)
            #expect(try await database.members(of: zone)["S"] == ["S", "list", "a", "box", "c0", "d0"])
        }
    }
}
