import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// `shares.explain` and `shares.locate`.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct ShareExplanationTests {
    private static let friend = RecordDatabase.user("b")

    private func explain(
        _ record: String, in database: RecordDatabase, user: String = friend, zone: String = "Z"
    ) async throws -> JSONValue {
        try await database.ask(
            .sharesExplain,
            [
                "container": .string(RecordDatabase.container), "environment": "development",
                "owner": .string(RecordDatabase.user), "zone": .string(zone), "recordName": .string(record),
                "user": .string(user),
            ])
    }

    /// Saves a shared list with an item and a detail.
    private func share(
        _ database: RecordDatabase, _ zone: ZoneEntry, _ participants: JSONValue..., permission: String? = nil
    ) async throws -> JSONValue {
        let saved = try await database.save(
            zone, database.operation("create", "list"), database.operation("create", "item", parent: "list"),
            database.operation("create", "detail", parent: "item"), database.operation("create", "other"),
            database.share("create", "S", of: "list", permission: permission, participants: participants))
        return try #require(saved[4]["shortGUID"])
    }

    @Test func eachMissingConditionIsNamedUntilTheUserHasARight() async throws {
        try await RecordDatabase.with { database in
            #expect(try await explain("detail", in: database)["missing"] == "zone")
            let zone = try await database.zone()
            #expect(try await explain("detail", in: database)["missing"] == "record")
            let link = try await share(database, zone, RecordDatabase.participant(Self.friend, "READ_ONLY"))
            let invited = try await explain("detail", in: database)
            #expect(invited["chain"]?.array?.map { $0["recordName"] } == ["detail", "item", "list"])
            #expect(invited["chain"]?.array?.map { $0["share"] } == ["S", "S", "S"])
            #expect(invited["chain"]?.array?.map { $0["rootOf"] } == [nil, nil, "S"])
            #expect(invited["share"]?["rootRecordName"] == "list")
            #expect(invited["participant"]?["acceptanceStatus"] == "INVITED")
            #expect(invited["right"] == "NONE" && invited["missing"] == "acceptance")

            _ = try await database.links(.recordsAccept, ["value": link], by: Self.friend)
            let accepted = try await explain("detail", in: database)
            #expect(accepted["right"] == "READ_ONLY" && accepted["missing"] == nil)
            #expect(try await explain("S", in: database)["right"] == "READ_ONLY")
            #expect(try await explain("other", in: database)["missing"] == "share")
            #expect(try await explain("nowhere", in: database)["missing"] == "record")
            let stranger = try await explain("detail", in: database, user: RecordDatabase.user("c"))
            #expect(stranger["missing"] == "participant" && stranger["participant"] == nil)
            #expect(try await explain("detail", in: database, user: RecordDatabase.user)["right"] == "OWNER")

            try await database.save(
                zone,
                database.share("update", "S", of: nil, tag: try await database.tag("S", in: zone), participants: []))
            #expect(try await explain("detail", in: database)["missing"] == "removed")
            try await database.save(zone, database.operation("delete", "S"))
            #expect(try await explain("detail", in: database)["missing"] == "share")
            try await database.save(zone, database.operation("delete", "detail"))
            #expect(try await explain("detail", in: database)["missing"] == "record_deleted")
        }
    }

    @Test func publicUsersHaveThePublicPermission() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let link = try await share(database, zone, permission: "READ_WRITE")
            let before = try await explain("item", in: database)
            #expect(before["missing"] == "participant")
            #expect(before["explanation"]?.string?.contains("can join") == true)
            _ = try await database.links(.recordsAccept, ["value": link], by: Self.friend)
            let after = try await explain("item", in: database)
            #expect(after["right"] == "READ_WRITE" && after["participant"]?["type"] == "PUBLIC_USER")
        }
    }

    @Test func openInvitationsByEmailAreCounted() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            _ = try await share(database, zone, RecordDatabase.invitation("ada@example.org"))
            let answer = try await explain("item", in: database)
            #expect(answer["share"]?["openInvitations"] == 1 && answer["missing"] == "participant")
            // An address is no part of the answer.
            #expect(!String(decoding: answer.encoded(), as: UTF8.self).contains("ada@example.org"))
        }
    }

    @Test func requestsForAccessAndBlocksAreExplained() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let link = try await share(database, zone)
            func save(_ key: String, _ value: JSONValue) async throws {
                let record: JSONValue = [
                    "recordName": "S", "recordType": "cloudkit.share",
                    "recordChangeTag": .string(try await database.tag("S", in: zone)), key: value,
                ]
                try await database.save(zone, ["operationType": "update", "record": record])
            }
            let identity = JSONValue.array([["userRecordName": .string(Self.friend)]])
            try await save("allowsAccessRequests", true)
            let stranger = try await explain("item", in: database)
            #expect(stranger["missing"] == "participant" && stranger["accessRequest"] == nil)
            #expect(stranger["explanation"]?.string?.hasSuffix("can request access.") == true, "\(stranger)")
            _ = try await database.links(.sharesRequestAccess, link, by: Self.friend)
            let pending = try await explain("item", in: database)
            #expect(pending["missing"] == "participant" && pending["accessRequest"] == "PENDING")
            #expect(pending["explanation"]?.string?.hasSuffix("has requested access.") == true, "\(pending)")
            try await save("participants", .array([RecordDatabase.participant(Self.friend)]))
            _ = try await database.links(.recordsAccept, link, by: Self.friend)
            try await save("blockRequesters", identity)
            let blocked = try await explain("item", in: database)
            #expect(blocked["missing"] == "blocked" && blocked["accessRequest"] == "BLOCKED", "\(blocked)")
            try await save("unblockIdentities", identity)
            #expect(try await explain("item", in: database)["missing"] == "removed")
        }
    }

    @Test func aWholeZoneNeedsNoParents() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let saved = try await database.save(
                zone, database.operation("create", "a"),
                database.share(
                    "create", "cloudkit.zoneshare", of: nil,
                    participants: [RecordDatabase.participant(Self.friend, "READ_WRITE")]))
            let link = try #require(saved[1]["shortGUID"])
            _ = try await database.links(.recordsAccept, ["value": link], by: Self.friend)
            let answer = try await explain("a", in: database)
            #expect(answer["right"] == "READ_WRITE" && answer["share"]?["rootRecordName"] == nil)
        }
    }

    @Test func circlesAndLongChainsOfParentsEnd() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let count = SharesExplainOperation.maxChain + 5
            let names = (0..<count).map { "r\($0)" }
            for (index, name) in names.enumerated() {
                try await database.save(
                    zone, database.operation("create", name, parent: index == 0 ? nil : names[index - 1]))
            }
            let long = try await explain(names[count - 1], in: database)
            #expect(long["missing"] == "chain_too_long")
            #expect(long["chain"]?.array?.count == SharesExplainOperation.maxChain)
            // Earlier releases accepted circles.
            _ = try await database.query(
                PostgresStatement(
                    "update \(zone.database.environment.recordTable) set parent = 'r2' where zone = $1 and name = 'r0'"),
                [.int8(zone.row.rawValue)])
            let circle = try await explain("r2", in: database)
            #expect(circle["missing"] == "parent_circular")
            #expect(circle["chain"]?.array?.map { $0["recordName"] } == ["r2", "r1", "r0"])
        }
    }

    @Test func aRecordThatIsNotStoredInTheShareOfItsParentsIsFound() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            _ = try await share(database, zone, RecordDatabase.participant(Self.friend))
            _ = try await database.query(
                PostgresStatement(
                    "update \(zone.database.environment.recordTable) set share = null where zone = $1 and name = 'item'"
                ),
                [.int8(zone.row.rawValue)])
            let answer = try await explain("item", in: database)
            #expect(answer["missing"] == "membership" && answer["share"]?["recordName"] == "S")
        }
    }

    @Test func invalidQuestionsAreRefused() async throws {
        try await RecordDatabase.with { database in
            #expect(try await explain("a", in: database, user: "ada")["field"] == "user")
            #expect(try await explain("a", in: database, zone: "")["field"] == "zone")
            #expect(try await explain("a\u{0}", in: database)["field"] == "recordName")
            let empty = try await database.ask(.sharesExplain, [:])
            #expect(empty["reasonCode"] == "missing_key")
        }
    }

    @Test func aLinkIsLocated() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let link = try await share(database, zone)
            #expect(
                try await database.ask(.sharesLocate, ["shortGUID": link]) == [
                    "container": .string(RecordDatabase.container), "environment": "development",
                ])
            for unknown in [String(repeating: "x", count: 24), "", "' or true"] {
                #expect(try await database.ask(.sharesLocate, ["shortGUID": .string(unknown)]) == [:])
            }
            #expect(try await database.ask(.sharesLocate, [:])["reasonCode"] == "missing_key")
        }
    }
}
