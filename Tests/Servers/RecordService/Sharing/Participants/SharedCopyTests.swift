import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import TestGenerators
import Testing

@testable import RecordService
@testable import RecordStorage

/// A participant keeps a copy by tokens while the owner shares, moves, deletes and removes at random.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(30)))
struct SharedCopyTests {
    /// The seeds of the test; `ZONDA_TEST_SEEDS` sets another number of them.
    private static let seeds =
        1...(ProcessInfo.processInfo.environment["ZONDA_TEST_SEEDS"].flatMap(UInt64.init) ?? 6)

    /// After some steps, the copy and a new walk must equal what the participant may see. Small pages, with more steps
    /// between them than they have room for, contain members and records that are gone together.
    @Test(arguments: seeds)
    func aCopyThatIsKeptByTokensIsWhatTheParticipantMaySee(seed: UInt64) async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            var walk = Walk(database: database, zone: zone, generator: SeededGenerator(seed: seed))
            for _ in 0..<90 {
                walk.log.append(try await walk.step())
                let isVisible = try await walk.visible() != nil
                guard !isVisible || Int.random(in: 0..<4, using: &walk.generator) == 0 else { continue }
                try await walk.sync()
                guard let truth = try await walk.visible() else {
                    #expect(walk.token == nil, "\(walk.log)")
                    continue
                }
                #expect(walk.copy == truth, "\(walk.log)")
                if walk.copy != truth { return }
                let forwards = try await walk.reader.feed(limit: 2).names
                #expect(Set(forwards) == truth, "\(walk.log)")
                #expect(try await walk.reader.feed(limit: 2, reverse: true).names == forwards.reversed(), "\(walk.log)")
            }
        }
    }
}

/// The state of one test.
private struct Walk {
    private static let names = (0..<8).map { "r\($0)" }

    let database: RecordDatabase
    let zone: ZoneEntry
    let reader: SharedReader
    var generator: SeededGenerator
    /// The names of the records that the participant has.
    private(set) var copy: Set<String> = []
    private(set) var token: String?
    var log: [String] = []

    init(database: RecordDatabase, zone: ZoneEntry, generator: SeededGenerator) {
        (self.database, self.zone, self.generator) = (database, zone, generator)
        reader = SharedReader(database, "b")
    }

    /// Reads pages until there are no more. Sometimes the owner makes a change between two pages. A client whose token
    /// has expired begins again; one that no longer sees the zone forgets the copy.
    mutating func sync() async throws {
        let limit = Int.random(in: 1...6, using: &generator)
        let reverse = Int.random(in: 0..<3, using: &generator) == 0
        log.append("sync by \(limit)\(reverse ? ", newest first" : "")")
        while true {
            let page = try await reader.page(since: token, limit: limit, reverse: reverse)
            if page["serverErrorCode"] != nil {
                (copy, token) = ([], nil)
                if page["serverErrorCode"] == "ZONE_NOT_FOUND" { return }
                try #require(page["reason"]?.string?.contains("expired") == true, "\(page) \(log)")
                log.append("expired")
                continue
            }
            for record in page["records"]?.array ?? [] {
                let name = try #require(record["recordName"]?.string)
                if record["deleted"] == true { copy.remove(name) } else { copy.insert(name) }
            }
            token = page["syncToken"]?.string
            // Changes between the pages of a walk that began with the newest change follow after its end.
            if page["moreComing"] != true, !reverse || hasNoNews(page) { return }
            if Int.random(in: 0..<4, using: &generator) == 0 { log.append("between pages: \(try await step())") }
        }
    }

    private func hasNoNews(_ page: JSONValue) -> Bool { page["records"]?.array?.isEmpty ?? true }

    /// Makes one change at random; a refusal changes nothing.
    mutating func step() async throws -> String {
        let (one, other) = (Self.names.randomElement(using: &generator)!, Self.names.randomElement(using: &generator)!)
        switch Int.random(in: 0..<16, using: &generator) {
        case 0...3:
            _ = try await database.codes(zone, database.operation("forceUpdate", one, parent: other))
            return "\(one) below \(other)"
        case 4:
            _ = try await database.codes(zone, database.operation("forceReplace", one))
            return "\(one) without parent"
        case 5:
            _ = try await database.codes(zone, database.operation("forceDelete", one))
            return "delete \(one)"
        case 6:
            _ = try await database.codes(zone, database.operation("forceDelete", one))
            _ = try await database.codes(zone, database.operation("forceReplace", one, parent: other))
            return "delete \(one), and create it below \(other)"
        case 7...9:
            let codes = try await database.codes(
                zone,
                database.share(
                    "create", "S.\(one)", of: one, participants: [RecordDatabase.participant(reader.user)]))
            if codes == [nil], Int.random(in: 0..<5, using: &generator) > 0 {
                try await reader.accept("S.\(one)", in: zone)
            }
            return "share \(one) \(codes)"
        case 10: return try await purge()
        default: return try await changeShare()
        }
    }

    private mutating func purge() async throws -> String {
        try await database.reclaim(retention: .seconds(3600))
        guard Int.random(in: 0..<4, using: &generator) == 0 else { return "jobs" }
        try await database.query("update record.departure set left_at = now() - interval '2 hours'")
        try await database.query("update record.share set ended_at = ended_at - interval '2 hours'")
        try await database.query("update record.participant set lost_at = lost_at - interval '2 hours'")
        if Bool.random(using: &generator) {
            try await database.query(
                "update record.record set modified_at = modified_at - interval '2 hours' where fields is null")
        }
        try await database.purgeTombstones(retention: .seconds(3600))
        return "purge"
    }

    /// Ends a share, removes the participant, sets a permission, or invites again.
    private mutating func changeShare() async throws -> String {
        let shares = try await database.query(
            "select name from record.share where zone = $1 and ended_seq is null order by name",
            [.int8(zone.row.rawValue)]
        ).map { $0.string(0) }
        guard let share = shares.randomElement(using: &generator) else { return "nothing" }
        let kind = Int.random(in: 0..<6, using: &generator)
        if kind == 0 {
            _ = try await database.codes(zone, database.operation("forceDelete", share))
            return "end \(share)"
        }
        let permission = ["READ_WRITE", "READ_ONLY", "NONE"].randomElement(using: &generator)!
        let participants = kind == 1 ? [] : [RecordDatabase.participant(reader.user, permission)]
        try await database.save(
            zone,
            database.share(
                "update", share, of: nil, tag: try await database.tag(share, in: zone), participants: participants))
        if kind == 1 { return "remove from \(share)" }
        if permission != "NONE", kind > 2 { try await reader.accept(share, in: zone) }
        return "\(permission) in \(share), \(kind > 2 ? "accepted" : "not accepted")"
    }

    /// Returns the names of the records that the user may see, computed from the parents; nil if the user may not see
    /// the zone.
    func visible() async throws -> Set<String>? {
        let members = try await database.members(of: zone)
        let shares = try await database.query(
            """
            select s.name from record.share s join record.participant p on p.zone = s.zone and p.share = s.id
            where s.zone = $1 and s.ended_seq is null and p.user_name = $2 and p.status = 2 and p.permission <> 1
            """, [.int8(zone.row.rawValue), .text(reader.user)]
        ).map { $0.string(0) }
        return shares.isEmpty ? nil : shares.reduce(into: []) { $0.formUnion(members[$1] ?? []) }
    }
}
