import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import Synchronization
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
        try await follow(seed, limits: Limits())
    }

    /// With a small limit, the background job makes most moves. What has left is never in a new walk. When no move is
    /// pending, the copy equals what the participant may see, even if it was kept by tokens from the middle of a move.
    @Test func aCopyIsCompleteAfterMovesInTheBackground() async throws {
        let pending = try await withThrowingTaskGroup(of: Int.self) { group in
            for seed in Self.seeds {
                group.addTask {
                    var limits = Limits()
                    limits.maxCascade = seed % 3 == 0 ? 1 : 0
                    return try await follow(seed, limits: limits)
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(pending > 5, "too few walks were compared while records were leaving")
    }

    /// - Returns: the number of comparisons while records were leaving shares.
    @discardableResult
    private func follow(_ seed: UInt64, limits: Limits) async throws -> Int {
        let pending = Mutex(0)
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            var walk = Walk(database: database, zone: zone, limits: limits, generator: SeededGenerator(seed: seed))
            for _ in 0..<(walk.isSmall ? 150 : 90) {
                walk.log.append(try await walk.step())
                let isVisible = try await walk.visible() != nil
                let isLeaving = try await database.moves(in: zone) == .leaving
                let period = isLeaving ? 2 : 4
                guard !isVisible || Int.random(in: 0..<period, using: &walk.generator) == 0 else { continue }
                try await walk.sync()
                guard let truth = try await walk.visible() else {
                    #expect(walk.token == nil, "\(walk.log)")
                    continue
                }
                let forwards = try await walk.reader.feed(limit: 2).names
                #expect(Set(forwards) == Set(truth.keys), "\(walk.log)")
                #expect(try await walk.reader.feed(limit: 2, reverse: true).names == forwards.reversed(), "\(walk.log)")
                let moves = try await database.moves(in: zone)
                if moves == .leaving {
                    pending.withLock { $0 += 1 }
                    walk.log.append("leaving")
                }
                guard moves == .none else { continue }
                _ = try await database.members(of: zone)
                #expect(walk.copy == truth, "\(walk.log)")
                if walk.copy != truth { return }
            }
        }
        return pending.withLock(\.self)
    }
}

/// The state of one test.
private struct Walk {
    private static let names = (0..<8).map { "r\($0)" }

    let database: RecordDatabase
    let zone: ZoneEntry
    let limits: Limits
    let reader: SharedReader
    var generator: SeededGenerator
    /// The tags of the records that the participant has.
    private(set) var copy: [String: String] = [:]
    private(set) var token: String?
    var log: [String] = []

    /// Whether the background job makes most moves.
    var isSmall: Bool { limits.maxCascade < 2 }

    init(database: RecordDatabase, zone: ZoneEntry, limits: Limits, generator: SeededGenerator) {
        (self.database, self.zone, self.limits, self.generator) = (database, zone, limits, generator)
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
                (copy, token) = ([:], nil)
                if page["serverErrorCode"] == "ZONE_NOT_FOUND" { return }
                try #require(page["reason"]?.string?.contains("expired") == true, "\(page) \(log)")
                log.append("expired")
                continue
            }
            for record in page["records"]?.array ?? [] {
                let name = try #require(record["recordName"]?.string)
                copy[name] = record["deleted"] == true ? nil : record["recordChangeTag"]?.string
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
        switch Int.random(in: 0..<(isSmall ? 22 : 16), using: &generator) {
        case 16, 17:
            let tree = try await self.tree() ?? one
            _ = try await database.codes(zone, limits: limits, database.operation("forceUpdate", tree, parent: other))
            return "tree \(tree) below \(other)"
        case 20, 21:
            let member = try await member() ?? other
            _ = try await database.codes(zone, limits: limits, database.operation("forceUpdate", one, parent: member))
            return "\(one) below member \(member)"
        case 0...3:
            _ = try await database.codes(zone, limits: limits, database.operation("forceUpdate", one, parent: other))
            return "\(one) below \(other)"
        case 4:
            _ = try await database.codes(zone, limits: limits, database.operation("forceReplace", one))
            return "\(one) without parent"
        case 5:
            _ = try await database.codes(zone, limits: limits, database.operation("forceDelete", one))
            return "delete \(one)"
        case 6:
            _ = try await database.codes(zone, limits: limits, database.operation("forceDelete", one))
            _ = try await database.codes(zone, limits: limits, database.operation("forceReplace", one, parent: other))
            return "delete \(one), and create it below \(other)"
        case 7...9:
            let codes = try await database.codes(
                zone, limits: limits,
                database.share(
                    "create", "S.\(one)", of: one, participants: [RecordDatabase.participant(reader.user)]))
            if codes == [nil], Int.random(in: 0..<5, using: &generator) > 0 { try await accept("S.\(one)") }
            return "share \(one) \(codes)"
        case 10: return try await purge()
        case 18, 19:
            // Sometimes the job finishes.
            let steps = Int.random(in: 0..<4, using: &generator)
            try await database.moveRecords(steps: steps == 3 ? .max : steps, recordsPerStep: 1)
            return "\(steps) steps of moves"
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
            _ = try await database.codes(zone, limits: limits, database.operation("forceDelete", share))
            return "end \(share)"
        }
        let permission = ["READ_WRITE", "READ_ONLY", "NONE"].randomElement(using: &generator)!
        let participants = kind == 1 ? [] : [RecordDatabase.participant(reader.user, permission)]
        let codes = try await database.codes(
            zone, limits: limits,
            database.share(
                "update", share, of: nil, tag: try await database.tag(share, in: zone), participants: participants))
        guard codes == [nil] else { return "\(codes) for \(share)" }
        if kind == 1 { return "remove from \(share)" }
        if permission != "NONE", kind > 2 { try await accept(share) }
        return "\(permission) in \(share), \(kind > 2 ? "accepted" : "not accepted")"
    }

    /// Returns the name of a record that has children.
    private mutating func tree() async throws -> String? {
        let parents = try await database.query(
            PostgresStatement(
                """
                select distinct r.parent from \(zone.database.environment.recordTable) r
                where r.zone = $1 and r.parent is not null and r.fields is not null order by r.parent
                """), [.int8(zone.row.rawValue)])
        return parents.map { $0.string(0) }.randomElement(using: &generator)
    }

    /// Returns the name of a record that is shared.
    private mutating func member() async throws -> String? {
        let names = try await database.settledMembers(of: zone).values.flatMap(\.keys).filter { $0.hasPrefix("r") }
        return names.sorted().randomElement(using: &generator)
    }

    /// Accepts an invitation, unless the zone is busy because records are leaving shares.
    private func accept(_ share: String) async throws {
        if try await database.moves(in: zone) != .leaving { try await reader.accept(share, in: zone) }
    }

    /// Returns the tags of the records that the user may see, computed from the parents; nil if the user may not see the
    /// zone. Records that have not been moved into a share yet are left out.
    func visible() async throws -> [String: String]? {
        let members = try await database.settledMembers(of: zone)
        let shares = try await database.query(
            """
            select s.name from record.share s join record.participant p on p.zone = s.zone and p.share = s.id
            where s.zone = $1 and s.ended_seq is null and p.user_name = $2 and p.status = 2 and p.permission <> 1
            """, [.int8(zone.row.rawValue), .text(reader.user)]
        ).map { $0.string(0) }
        return shares.isEmpty ? nil : shares.reduce(into: [:]) { $0.merge(members[$1] ?? [:]) { one, _ in one } }
    }
}
