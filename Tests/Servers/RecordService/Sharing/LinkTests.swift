import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// The links of records: how long they stay, and where they are shown.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct LinkTests {
    /// An operation that asks for a link.
    private static func linking(_ name: String, _ kind: String = "create", parent: String? = nil) -> JSONValue {
        var record: [JSONValue.Member] = [
            .init("recordName", .string(name)), .init("recordType", "Photo"), .init("createShortGUID", true),
        ]
        if let parent { record.append(.init("parent", ["recordName": .string(parent)])) }
        return ["operationType": .string(kind), "record": .object(record)]
    }

    @Test func aLinkIsShownUntilTheRecordIsDeletedAndNoLaterRecordGetsIt() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let created = try await database.save(zone, Self.linking("a"))
            let link = try #require(created[0]["shortGUID"]?.string)
            #expect(try await database.record("a", in: zone)["shortGUID"] == .string(link))
            #expect(try await database.record("a", in: zone)["share"] == nil)
            let updated = try await database.save(zone, database.operation("update", "a", ["n": 1]))
            #expect(updated[0]["shortGUID"] == .string(link))
            let again = try await database.save(zone, Self.linking("a", "update"))
            #expect(again[0]["shortGUID"] == .string(link))

            // The zone has no shares, so the deletion does not look at links.
            try await database.save(zone, database.operation("delete", "a"))
            try await database.save(zone, database.operation("create", "a"))
            #expect(try await database.record("a", in: zone)["shortGUID"] == nil)
            try await database.save(zone, database.share("create", "S", of: "a"))
            let other = try #require(try await database.record("a", in: zone)["shortGUID"]?.string)
            #expect(other != link)
            let links = try await database.query("select link from record.link").map { $0.string(0) }
            #expect(links == [other])
            #expect(try await database.record("S", in: zone)["shortGUID"] == .string(other))
        }
    }

    @Test func aLinkIsDeletedWithTheTombstone() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(zone, Self.linking("a"), Self.linking("b"))
            try await database.save(zone, database.operation("delete", "a"))
            try await database.purgeTombstones()
            #expect(try await database.query("select name from record.link").map { $0.string(0) } == ["b"])
        }
    }

    @Test func aRecordInAShareWithALinkOfItsOwnIsNoRoot() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(
                zone, database.operation("create", "list"), database.share("create", "S", of: "list"))
            try await database.save(zone, Self.linking("item", parent: "list"))
            let item = try await database.record("item", in: zone)
            #expect(item["shortGUID"] != nil)
            #expect(item["share"] == nil)
            #expect(item["participants"] == nil)
            try await database.save(zone, database.operation("update", "item", ["n": 1], parent: "list"))
            #expect(try await database.members(of: zone) == ["S": ["S", "list", "item"]])
            try await database.save(zone, database.operation("delete", "item"))
            #expect(try await database.members(of: zone) == ["S": ["S", "list"]])
        }
    }

    @Test func aShareWhoseLinkIsMissingEnds() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(
                zone, database.operation("create", "list"), database.share("create", "S", of: "list"))
            try await database.query("delete from record.link")
            #expect(try await database.record("list", in: zone)["share"]?["recordName"] == "S")
            try await database.save(zone, database.operation("delete", "S"))
            #expect(try await database.members(of: zone) == [:])
            #expect(try await database.query("select from record.share where ended_seq is null").isEmpty)
        }
    }

    @Test func aRepeatedRequestShowsTheLinkEvenAfterTheRecordChanged() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let request = { try database.request(zone, [Self.linking("a")], messageID: "one") }
            let first = try await database.write(try request()).answers[0]
            let link = try #require(first["records"]?[0]?["shortGUID"]?.string)
            try await database.save(zone, database.operation("update", "a", ["n": 1]))
            let repeated = try await database.write(try request()).answers[0]
            #expect(repeated["records"]?[0]?["shortGUID"] == .string(link))
        }
    }

    /// An operation that replaces the link of the share `S`.
    private static func rotating(_ tag: String) -> JSONValue {
        [
            "operationType": "update",
            "record": [
                "recordName": "S", "recordType": "cloudkit.share", "recordChangeTag": .string(tag),
                "replaceShortGUID": true,
            ],
        ]
    }

    @Test func aReplacedLinkIsUnknownAndParticipantsStay() async throws {
        try await RecordDatabase.with { database in
            let (zone, friend) = (try await database.zone(), RecordDatabase.user("b"))
            let saved = try await database.save(
                zone, database.operation("create", "list"),
                database.share(
                    "create", "S", of: "list",
                    participants: [
                        RecordDatabase.participant(friend),
                        RecordDatabase.participant("_" + String(repeating: "c", count: 32)),
                    ]))
            let old = try #require(saved[1]["shortGUID"]?.string)
            _ = try await database.links(.recordsAccept, ["value": .string(old)], by: friend)
            let before = try await database.record("list", in: zone)

            let share = try await database.save(zone, Self.rotating(try await database.tag("S", in: zone)))[0]
            let new = try #require(share["shortGUID"]?.string)
            #expect(new != old && new.utf8.count == 24)
            #expect(
                share["participants"]?.array?.map { $0["acceptanceStatus"] } == ["ACCEPTED", "ACCEPTED", "INVITED"])
            let after = try await database.record("list", in: zone)
            #expect(after["shortGUID"] == .string(new) && after["recordChangeTag"] != before["recordChangeTag"])
            #expect(try await database.record("S", in: zone)["shortGUID"] == .string(new))
            for operation in [ServiceMessages.Operation.recordsResolve, .recordsAccept] {
                let results = try await database.links(
                    operation, ["value": .string(old)], ["value": .string(new)], by: friend
                ).results
                #expect(results[0]["ckErrorCode"] == 11 && results[1]["participantStatus"] == "ACCEPTED")
            }
            // An update without the key leaves the link, also when it saves the root.
            let again = try await database.save(
                zone, database.operation("update", "list", ["n": 1]),
                database.share("update", "S", of: nil, tag: try await database.tag("S", in: zone), permission: "NONE"))
            #expect(again.map { $0["shortGUID"] } == [.string(new), .string(new)])
        }
    }

    @Test func aLinkIsReplacedTogetherWithASaveOfTheRoot() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let saved = try await database.save(
                zone, database.operation("create", "list"), database.share("create", "S", of: "list"))
            let both = try await database.save(
                zone, database.operation("update", "list", ["n": 1]),
                Self.rotating(try await database.tag("S", in: zone)))
            #expect(both[0]["shortGUID"] == both[1]["shortGUID"] && both[0]["share"]?["recordName"] == "S")
            #expect(both[0]["shortGUID"] != saved[0]["shortGUID"])
        }
    }

    @Test func theLinkOfAZoneIsReplacedAndOtherRecordsHaveNone() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let saved = try await database.save(zone, database.share("create", "cloudkit.zoneshare", of: nil))
            let tag = try await database.tag("cloudkit.zoneshare", in: zone)
            let update: JSONValue = [
                "operationType": "update",
                "record": [
                    "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share",
                    "recordChangeTag": .string(tag), "replaceShortGUID": true,
                ],
            ]
            let rotated = try await database.save(zone, update)
            #expect(rotated[0]["shortGUID"] != nil && rotated[0]["shortGUID"] != saved[0]["shortGUID"])
            let refused: JSONValue = [
                "operationType": "create",
                "record": ["recordName": "a", "recordType": "Photo", "replaceShortGUID": true],
            ]
            #expect(try await database.codes(zone, refused) == [12])
        }
    }

    @Test func aStaleTagReplacesNoLink() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let saved = try await database.save(
                zone, database.operation("create", "list"), database.share("create", "S", of: "list"))
            #expect(try await database.codes(zone, Self.rotating("old")) == [14])
            #expect(try await database.record("S", in: zone)["shortGUID"] == saved[1]["shortGUID"])
        }
    }
}
