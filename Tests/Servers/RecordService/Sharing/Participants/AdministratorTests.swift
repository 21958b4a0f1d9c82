import CloudKitModel
import CloudKitWire
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Administrators, who manage the participants of another user's share.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct AdministratorTests {
    /// Makes `writer` an administrator of the share `S` of the scene, and returns the share as the administrator sees it.
    private func promote(_ scene: SharedScene, _ permission: String = "READ_WRITE") async throws -> JSONValue {
        let database = scene.database
        let share = try await database.record("S", in: scene.zone)
        let list = try #require(share["participants"]?.array).map { participant in
            participant["userIdentity"]?["userRecordName"]?.string == scene.writer.user
                ? RecordDatabase.participant(scene.writer.user, permission, type: "ADMINISTRATOR") : participant
        }
        try await database.save(
            scene.zone,
            database.share("update", "S", of: nil, tag: try await database.tag("S", in: scene.zone), participants: list)
        )
        return try #require(try await scene.writer.look("S")["records"]?[0])
    }

    private func update(
        _ share: JSONValue, kind: String = "update", _ members: (String, JSONValue)...
    ) -> JSONValue {
        let record: [JSONValue.Member] =
            [
                .init("recordName", "S"), .init("recordType", "cloudkit.share"),
                .init("recordChangeTag", share["recordChangeTag"] ?? .null),
            ] + members.map { .init($0.0, $0.1) }
        return ["operationType": .string(kind), "record": .object(record)]
    }

    private func participants(_ share: JSONValue) throws -> [JSONValue] {
        try #require(share["participants"]?.array, "\(share)")
    }

    @Test func anAdministratorInvitesAndRemoves() async throws {
        try await SharedScene.with { scene in
            let share = try await promote(scene)
            #expect(share["currentUserParticipant"]?["type"] == "ADMINISTRATOR")
            let stranger = RecordDatabase.participant(scene.stranger.user, "READ_ONLY")
            let list = try participants(share).filter {
                $0["userIdentity"]?["userRecordName"] != .string(scene.reader.user)
            }
            let answer = try await scene.writer.modify(
                scene.zone, update(share, ("participants", .array(list + [stranger]))))
            let saved = try #require(answer["records"]?[0])
            #expect(try participants(saved).last?["acceptanceStatus"] == "INVITED", "\(saved)")
            #expect(saved["modified"]?["userRecordName"] == .string(scene.writer.user))
            #expect(try await scene.reader.look("a")["serverErrorCode"] == "ZONE_NOT_FOUND")
            try await scene.stranger.accept("S", in: scene.zone)
            #expect(try await scene.stranger.look("a")["records"]?[0]?["recordName"] == "a")
            // The owner's copy of the share has changed too.
            #expect(try await scene.database.tag("S", in: scene.zone) != share["recordChangeTag"]?.string)
        }
    }

    @Test func theTagIsCheckedAlsoByForcedSaves() async throws {
        try await SharedScene.with { scene in
            let old = try await promote(scene)
            let list = JSONValue.array(try participants(old))
            #expect(try await scene.writer.codes(scene.zone, update(old, ("participants", list))) == [nil])
            for kind in ["update", "forceUpdate", "replace", "forceReplace"] {
                let answer = try await scene.writer.modify(
                    scene.zone, update(old, kind: kind, ("participants", list)))
                #expect(answer["records"]?[0]?["ckErrorCode"] == 14, "\(answer)")
                #expect(answer["records"]?[0]?["serverRecord"]?["recordName"] == "S")
            }
        }
    }

    @Test func anAdministratorDoesNotChangeTheLinkThePermissionsAndTheRoles() async throws {
        try await SharedScene.with { scene in
            let share = try await promote(scene, "READ_ONLY")
            let list = try participants(share)
            let refused: [JSONValue] = [
                update(share, ("publicPermission", "READ_WRITE")), update(share, ("replaceShortGUID", true)),
                update(share, ("createShortGUID", true)),
                update(share, ("fields", ["cloudkit.title": ["value": "Mine"]])),
                update(share, ("participants", .array(Array(list.dropFirst(2))))),
                update(
                    share, ("participants", .array(list + [RecordDatabase.participant(scene.stranger.user)]))),
                update(
                    share,
                    (
                        "participants",
                        .array(
                            list + [RecordDatabase.participant(scene.stranger.user, "READ_ONLY", type: "ADMINISTRATOR")]
                        )
                    )),
            ]
            for operation in refused {
                #expect(try await scene.writer.codes(scene.zone, operation) == [10], "\(operation)")
            }
            // Everything that is unchanged may be sent.
            #expect(
                try await scene.writer.codes(
                    scene.zone,
                    update(share, ("publicPermission", "NONE"), ("participants", .array(list)), ("fields", [:])))
                    == [nil])
            #expect(try await scene.database.record("S", in: scene.zone)["publicPermission"] == "NONE")
        }
    }

    @Test func otherParticipantsAndFormerAdministratorsManageNothing() async throws {
        try await SharedScene.with { scene in
            let share = try await promote(scene)
            let list = JSONValue.array(try participants(share))
            #expect(try await scene.reader.codes(scene.zone, update(share, ("participants", list))) == [10])
            // An administrator of one share is none of another.
            let other = try #require(try await scene.writer.look("B")["records"]?[0])
            let operation: JSONValue = [
                "operationType": "update",
                "record": [
                    "recordName": "B", "recordType": "cloudkit.share",
                    "recordChangeTag": other["recordChangeTag"] ?? .null,
                    "participants": other["participants"] ?? .null,
                ],
            ]
            #expect(try await scene.writer.codes(scene.zone, operation) == [10])
            // Whoever does not see the share gets the answer for a share that does not exist.
            #expect(try await scene.other.codes(scene.zone, update(share, ("participants", list))) == [11])
            let database = scene.database
            try await database.save(
                scene.zone,
                database.share(
                    "update", "S", of: nil, tag: try await database.tag("S", in: scene.zone),
                    participants: [RecordDatabase.participant(scene.writer.user)]))
            let after = try #require(try await scene.writer.look("S")["records"]?[0])
            #expect(try await scene.writer.codes(scene.zone, update(after, ("participants", list))) == [10])
        }
    }

    @Test func anAddressIsInvitedOnceAndTheOwnerSeesWhatAnAdministratorInvites() async throws {
        try await SharedScene.with { scene in
            let share = try await promote(scene)
            let first = RecordDatabase.invitation("ada@example.org", "READ_ONLY")
            #expect(
                try await scene.writer.codes(
                    scene.zone, update(share, ("participants", .array(try participants(share) + [first])))) == [nil])
            let seen = try #require(try await scene.writer.look("S")["records"]?[0])
            #expect(!String(decoding: seen.encoded(), as: UTF8.self).contains("ada@example.org"))
            let again = try await scene.writer.modify(
                scene.zone, update(seen, ("participants", .array(try participants(seen) + [first]))))
            #expect(again["records"]?[0]?["reasonCode"] == "participant_invalid", "\(again)")
            #expect(!String(decoding: again.encoded(), as: UTF8.self).contains("ada@example.org"))
            let owned = try await scene.database.record("S", in: scene.zone)
            #expect(String(decoding: owned.encoded(), as: UTF8.self).contains("ada@example.org"))
        }
    }

    @Test func ofTwoAdministratorsWhoSaveAtOnceOneRepeatsAndNothingIsLost() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let admins = [SharedReader(database, "b"), SharedReader(database, "c")]
            try await database.save(
                zone, database.operation("create", "list"),
                database.share(
                    "create", "S", of: "list",
                    participants: admins.map { RecordDatabase.participant($0.user, type: "ADMINISTRATOR") }))
            for admin in admins { try await admin.accept("S", in: zone) }
            for pair in [("d", "e"), ("f", "1"), ("2", "3")] as [(Character, Character)] {
                let guests = [pair.0, pair.1].map(RecordDatabase.user)
                let share = try #require(try await admins[0].look("S")["records"]?[0])
                // Both save the share that they have read before either of them saves it.
                let answers = try await withThrowingTaskGroup(of: (Int, JSONValue).self) { group in
                    for (number, admin) in admins.enumerated() {
                        let list = try participants(share) + [RecordDatabase.participant(guests[number])]
                        let operation = update(share, ("participants", .array(list)))
                        group.addTask {
                            let answer = try await admin.modify(zone, operation)
                            return (number, try #require(answer["records"]?[0]))
                        }
                    }
                    return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                }
                let losers = answers.filter { $0.value["ckErrorCode"] == 14 }
                #expect(losers.count == 1, "\(answers)")
                let (loser, answer) = try #require(losers.first)
                let current = try #require(answer["serverRecord"])
                let list = try participants(current) + [RecordDatabase.participant(guests[loser])]
                #expect(try await admins[loser].codes(zone, update(current, ("participants", .array(list)))) == [nil])
                let users = try participants(try await database.record("S", in: zone)).compactMap {
                    $0["userIdentity"]?["userRecordName"]?.string
                }
                #expect(Set(guests).isSubset(of: users), "\(users)")
            }
        }
    }

    @Test func anAdministratorOfAZoneManagesItsShare() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let admin = SharedReader(database, "b")
            let made = try await database.save(
                zone, database.operation("create", "a"),
                database.share(
                    "create", "cloudkit.zoneshare", of: nil,
                    participants: [RecordDatabase.participant(admin.user, type: "ADMINISTRATOR")]))
            try await admin.accept("cloudkit.zoneshare", in: zone)
            let share = try #require(try await admin.look("cloudkit.zoneshare")["records"]?[0])
            #expect(share["shortGUID"] == made[1]["shortGUID"])
            let list = try participants(share) + [RecordDatabase.participant(RecordDatabase.user("c"))]
            let operation: JSONValue = [
                "operationType": "update",
                "record": [
                    "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share",
                    "recordChangeTag": share["recordChangeTag"] ?? .null, "participants": .array(list),
                ],
            ]
            #expect(try await admin.codes(zone, operation) == [nil])
            #expect(try await database.record("cloudkit.zoneshare", in: zone)["participants"]?.array?.count == 3)
        }
    }
}
