import CloudKitModel
import CloudKitWire
import PostgresClient
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
}
