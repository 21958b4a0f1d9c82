import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Requests for access to a share: asked for, listed, approved, denied and blocked.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct AccessRequestTests {
    private static let unknown: JSONValue = .string(String(repeating: "x", count: 24))

    private struct Scene {
        let database: RecordDatabase
        let zone: ZoneEntry
        let link: JSONValue
        var limits = Limits()

        /// The share as the owner sees it.
        func share() async throws -> JSONValue { try await database.record("S", in: zone) }

        /// Saves the share with `members`.
        func save(_ members: (String, JSONValue)...) async throws {
            let record: [JSONValue.Member] =
                [
                    .init("recordName", "S"), .init("recordType", "cloudkit.share"),
                    .init("recordChangeTag", .string(try await database.tag("S", in: zone))),
                ] + members.map { .init($0.0, $0.1) }
            try await database.save(zone, ["operationType": "update", "record": .object(record)])
        }

        /// The result of a request for access.
        func ask(by user: String, email: String? = nil, messageID: String? = nil) async throws -> JSONValue {
            try await database.links(
                .sharesRequestAccess, link, by: user, email: email, messageID: messageID ?? user + "\(email ?? "")",
                limits: limits
            ).results[0]
        }

        func users(_ key: String) async throws -> [String] {
            (try await share()[key]?.array ?? []).compactMap { $0["userIdentity"]?["userRecordName"]?.string }
        }
    }

    private func with(
        allowed: Bool = true, _ participants: JSONValue..., body: @escaping @Sendable (Scene) async throws -> Void
    ) async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let saved = try await database.save(
                zone, database.operation("create", "list"),
                database.share("create", "S", of: "list", participants: participants))
            let scene = Scene(database: database, zone: zone, link: try #require(saved[1]["shortGUID"]))
            if allowed { try await scene.save(("allowsAccessRequests", true)) }
            try await body(scene)
        }
    }

    private func bare(_ result: JSONValue) -> JSONValue {
        .object((result.members ?? []).filter { !["uuid", "shortGUID"].contains($0.key) })
    }

    private static func identity(_ user: String) -> JSONValue { .array([["userRecordName": .string(user)]]) }

    @Test func aRequestIsListedApprovedAndAccepted() async throws {
        let friend = RecordDatabase.user("9")
        try await with(RecordDatabase.participant(friend)) { scene in
            let (database, user) = (scene.database, RecordDatabase.user("b"))
            try await SharedReader(database, "9").accept("S", in: scene.zone)
            let found = try await database.links(.recordsResolve, scene.link, by: user).results[0]
            #expect(found["ckErrorCode"] == 10 && found["reasonCode"] == "access_request_required")
            #expect(found["share"] == nil)
            let before = try await scene.share()
            let (results, events) = try await database.links(
                .sharesRequestAccess, scene.link, by: user, email: "b@example.org", messageID: "once")
            #expect(results == [["shortGUID": ["value": scene.link, "shouldFetchRootRecord": false]]], "\(results)")
            #expect(events.count == 1)
            let share = try await scene.share()
            #expect(share["recordChangeTag"] != before["recordChangeTag"])
            #expect(share["modified"] == before["modified"])
            #expect(
                share["requesters"] == [
                    [
                        "userIdentity": [
                            "userRecordName": .string(user), "lookupInfo": ["emailAddress": "b@example.org"],
                        ]
                    ]
                ])
            // Participants do not see who asks, and neither does the user who asks.
            let shown = try #require(try await SharedReader(database, "9").look("S")["records"]?[0])
            #expect(shown["requesters"] == nil && shown["allowsAccessRequests"] == true)
            #expect(!String(decoding: shown.encoded(), as: UTF8.self).contains(user))
            #expect(try await scene.ask(by: user, messageID: "later")["ckErrorCode"] == nil)
            #expect(try await scene.share()["recordChangeTag"] == share["recordChangeTag"])
            let pending = try await database.links(.recordsResolve, scene.link, by: user).results[0]
            #expect(pending["ckErrorCode"] == 10 && pending["reasonCode"] == "access_request_pending")

            let list = try #require(share["participants"]?.array)
            try await scene.save(("participants", .array(list + [RecordDatabase.participant(user, "READ_ONLY")])))
            #expect(try await scene.users("requesters") == [])
            #expect(try await scene.ask(by: user, messageID: "invited")["ckErrorCode"] == 37)
            let accepted = try await database.links(.recordsAccept, scene.link, by: user).results[0]
            #expect(accepted["participantStatus"] == "ACCEPTED")
            let tag = try await scene.share()["recordChangeTag"]
            // Neither a repeat of the first request nor a new one asks again.
            for messageID in ["once", "member"] {
                #expect(try await scene.ask(by: user, messageID: messageID)["ckErrorCode"] == nil)
            }
            #expect(try await scene.share()["recordChangeTag"] == tag)
        }
    }

    @Test func withoutPermissionToAskTheLinkIsUnknown() async throws {
        try await with(allowed: false, RecordDatabase.participant(RecordDatabase.user("b"))) { scene in
            let stranger = RecordDatabase.user("c")
            for operation in [ServiceMessages.Operation.sharesRequestAccess, .recordsResolve, .recordsAccept] {
                let results = try await scene.database.links(
                    operation, scene.link, Self.unknown, "a b", by: stranger
                ).results
                #expect(results[0]["ckErrorCode"] == 11)
                #expect(bare(results[0]) == bare(results[1]) && bare(results[1]) == bare(results[2]))
            }
            #expect(try await scene.database.query("select from record.requester").isEmpty)
        }
    }

    @Test func aDeniedUserMayAskAgainAndABlockedOneNot() async throws {
        let friend = RecordDatabase.user("9")
        try await with(RecordDatabase.participant(friend)) { scene in
            let user = RecordDatabase.user("b")
            _ = try await scene.ask(by: user, messageID: "1")
            try await scene.save(("denyRequesters", Self.identity(user)))
            #expect(try await scene.users("requesters") == [])
            _ = try await scene.ask(by: user, messageID: "2")
            #expect(try await scene.users("requesters") == [user])
            try await scene.save(("blockRequesters", Self.identity(user)))
            #expect(try await scene.users("requesters") == [])
            #expect(try await scene.users("blocked") == [user])
            let tag = try await scene.share()["recordChangeTag"]
            for operation in [ServiceMessages.Operation.sharesRequestAccess, .recordsResolve, .recordsAccept] {
                let results = try await scene.database.links(operation, scene.link, Self.unknown, by: user).results
                #expect(results[0]["ckErrorCode"] == 11 && bare(results[0]) == bare(results[1]), "\(results)")
            }
            #expect(try await scene.share()["recordChangeTag"] == tag)
            try await scene.save(("unblockIdentities", Self.identity(user)))
            _ = try await scene.ask(by: user, messageID: "3")
            #expect(try await scene.users("requesters") == [user])
            #expect(try await scene.users("blocked") == [])
            // Blocking a participant removes the participant.
            try await SharedReader(scene.database, "9").accept("S", in: scene.zone)
            try await scene.save(("blockRequesters", Self.identity(friend)))
            #expect(try await scene.users("blocked") == [friend])
            #expect(try await SharedReader(scene.database, "9").look("list")["serverErrorCode"] == "ZONE_NOT_FOUND")
        }
    }

    @Test func aBlockedUserDoesNotJoinThroughThePublicLink() async throws {
        try await with { scene in
            let user = RecordDatabase.user("b")
            try await scene.save(("publicPermission", "READ_ONLY"), ("blockRequesters", Self.identity(user)))
            let results = try await scene.database.links(.recordsAccept, scene.link, by: user).results
            #expect(results[0]["ckErrorCode"] == 11)
            let other = try await scene.database.links(.recordsAccept, scene.link, by: RecordDatabase.user("c"))
            #expect(other.results[0]["participantStatus"] == "ACCEPTED")
        }
    }

    @Test func anInvitedUserIsToldToAcceptInsteadOfRequestingAccess() async throws {
        try await with(
            RecordDatabase.participant(RecordDatabase.user("b")), RecordDatabase.invitation("ada@example.org")
        ) { scene in
            for (digit, email) in [("b", nil), ("c", "ada@example.org")] as [(Character, String?)] {
                let result = try await scene.ask(by: RecordDatabase.user(digit), email: email)
                #expect(result["ckErrorCode"] == 37 && result["reasonCode"] == "participant_already_invited")
            }
            // Another user may request access although an invitation by email is pending, and is told so.
            let stranger = RecordDatabase.user("c")
            func reason() async throws -> JSONValue? {
                try await scene.database.links(.recordsResolve, scene.link, by: stranger).results[0]["reasonCode"]
            }
            #expect(try await reason() == "participant_may_request")
            #expect(try await scene.ask(by: stranger)["ckErrorCode"] == nil)
            #expect(try await scene.users("requesters") == [stranger])
            #expect(try await reason() == "access_request_pending")
            try await scene.save(("allowsAccessRequests", false))
            #expect(try await reason() == "participant_not_verified")
        }
    }

    @Test func strangersCannotFloodTheOwner() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let saved = try await database.save(
                zone, database.operation("create", "list"), database.share("create", "S", of: "list"))
            var scene = Scene(database: database, zone: zone, link: try #require(saved[1]["shortGUID"]))
            scene.limits.maxRequesters = 2
            try await scene.save(("allowsAccessRequests", true))
            for digit in "bc" { _ = try await scene.ask(by: RecordDatabase.user(digit)) }
            let tag = try await scene.share()["recordChangeTag"]
            let result = try await scene.ask(by: RecordDatabase.user("d"))
            #expect(result["reasonCode"] == "too_many_requesters" && result["limit"] == 2, "\(result)")
            #expect(try await scene.share()["recordChangeTag"] == tag)
            // A request that is pending and the answers are not refused.
            #expect(try await scene.ask(by: RecordDatabase.user("b"), messageID: "again")["ckErrorCode"] == nil)
            try await scene.save(("denyRequesters", Self.identity(RecordDatabase.user("b"))))
            #expect(try await scene.ask(by: RecordDatabase.user("d"), messageID: "d2")["ckErrorCode"] == nil)
        }
    }

    @Test func anAdministratorAnswersRequestsWithoutSeeingAddresses() async throws {
        let friend = RecordDatabase.user("9")
        try await with(RecordDatabase.participant(friend, type: "ADMINISTRATOR")) { scene in
            let (admin, user) = (SharedReader(scene.database, "9"), RecordDatabase.user("b"))
            try await admin.accept("S", in: scene.zone)
            _ = try await scene.ask(by: user, email: "b@example.org")
            let share = try #require(try await admin.look("S")["records"]?[0])
            #expect(share["requesters"] == [["userIdentity": ["userRecordName": .string(user)]]])
            let update: JSONValue = [
                "operationType": "update",
                "record": [
                    "recordName": "S", "recordType": "cloudkit.share",
                    "recordChangeTag": share["recordChangeTag"] ?? .null, "denyRequesters": Self.identity(user),
                    "allowsAccessRequests": false,
                ],
            ]
            #expect(try await admin.codes(scene.zone, update) == [nil])
            #expect(try await scene.users("requesters") == [])
            #expect(try await scene.share()["allowsAccessRequests"] == nil)
        }
    }

    /// The codes of two saves of the share that are based on the same change tag and are sent at the same time.
    private func race(_ scene: Scene, _ first: (String, JSONValue), _ second: (String, JSONValue)) async throws
        -> [Int64?]
    {
        let tag = try await scene.database.tag("S", in: scene.zone)
        return try await withThrowingTaskGroup(of: Int64?.self) { group in
            for (key, value) in [first, second] {
                group.addTask {
                    try await scene.database.codes(
                        scene.zone,
                        [
                            "operationType": "update",
                            "record": [
                                "recordName": "S", "recordType": "cloudkit.share", "recordChangeTag": .string(tag),
                                key: value,
                            ],
                        ])[0]
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func ofAnApprovalAndABlockAtOnceOneTakesEffect() async throws {
        try await with { scene in
            for digit in "bcdef1" {
                let user = RecordDatabase.user(digit)
                _ = try await scene.ask(by: user)
                let list = try #require(try await scene.share()["participants"]?.array)
                let codes = try await race(
                    scene, ("participants", .array(list + [RecordDatabase.participant(user)])),
                    ("blockRequesters", Self.identity(user)))
                #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == 14 } == 1, "\(codes)")
                #expect(try await scene.users("requesters") == [])
                let isBlocked = try await scene.users("blocked").contains(user)
                let result = try await scene.database.links(.recordsAccept, scene.link, by: user).results[0]
                #expect((result["participantStatus"] == "ACCEPTED") == !isBlocked, "\(result)")
                if isBlocked { #expect(result["ckErrorCode"] == 11) }
            }
        }
    }

    @Test func aUserWhoIsApprovedWhileAskingAgainAndAcceptingIsNoRequesterAfterwards() async throws {
        try await with { scene in
            for digit in "bcdef1" {
                let user = RecordDatabase.user(digit)
                _ = try await scene.ask(by: user)
                let list = try #require(try await scene.share()["participants"]?.array)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await scene.save(("participants", .array(list + [RecordDatabase.participant(user)])))
                    }
                    group.addTask {
                        let asked = try await scene.ask(by: user, messageID: "again \(user)")
                        #expect([nil, 37].contains(asked["ckErrorCode"]?.int), "\(asked)")
                    }
                    group.addTask {
                        let accepted = try await scene.database.links(.recordsAccept, scene.link, by: user).results[0]
                        #expect(
                            accepted["participantStatus"] == "ACCEPTED"
                                || accepted["reasonCode"] == "access_request_pending", "\(accepted)")
                    }
                    try await group.waitForAll()
                }
                #expect(try await scene.users("requesters") == [])
                let accepted = try await scene.database.links(.recordsAccept, scene.link, by: user).results[0]
                #expect(accepted["participantStatus"] == "ACCEPTED")
            }
        }
    }

    @Test func theEndOfTheShareEndsRequestsAndBlocks() async throws {
        try await with { scene in
            let (database, user) = (scene.database, RecordDatabase.user("b"))
            _ = try await scene.ask(by: user)
            try await database.save(scene.zone, database.operation("delete", "S"))
            #expect(try await scene.ask(by: RecordDatabase.user("c"))["ckErrorCode"] == 11)
            let again = try await database.save(scene.zone, database.share("create", "T", of: "list"))
            #expect(again[0]["requesters"] == nil && again[0]["shortGUID"] == scene.link)
            #expect(try await scene.ask(by: RecordDatabase.user("d"))["ckErrorCode"] == 11)
        }
    }
}
