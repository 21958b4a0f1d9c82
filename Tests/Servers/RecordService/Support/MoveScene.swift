import CloudKitModel
import CloudKitWire
import PostgresClient
import RequestServing
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Zone `Z` of the owner, where a move of more than two records is left to the background job.
///
/// - `list` with `a` is shared by `S`; `one` has accepted
/// - `album` with `p` is shared by `T`; `other` has accepted
/// - `shelf` is not shared
/// - `box` with `c0`, `c1` and `c2`, and below each of these `d0`, `d1` or `d2`, is below one of the three
struct MoveScene: Sendable {
    static let limits = {
        var limits = Limits()
        limits.maxCascade = 2
        return limits
    }()
    /// The records below `box`.
    static let contents: Set<String> = ["c0", "c1", "c2", "d0", "d1", "d2"]
    static let tree = contents.union(["box"])

    let database: RecordDatabase
    let zone: ZoneEntry
    let one: SharedReader
    let other: SharedReader

    /// - Parameter parent: the parent of `box`.
    static func with(
        boxIn parent: String, _ body: @escaping @Sendable (MoveScene) async throws -> Void
    ) async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(
                zone, database.operation("create", "list"), database.operation("create", "a", parent: "list"),
                database.operation("create", "album"), database.operation("create", "p", parent: "album"),
                database.operation("create", "shelf"), database.operation("create", "box", ["n": 1], parent: parent))
            for index in 0..<3 {
                try await database.save(
                    zone, database.operation("create", "c\(index)", ["n": 1], parent: "box"),
                    database.operation("create", "d\(index)", ["n": 1], parent: "c\(index)"))
            }
            let (one, other) = (SharedReader(database, "b"), SharedReader(database, "c"))
            try await database.save(
                zone,
                database.share("create", "S", of: "list", participants: [RecordDatabase.participant(one.user)]),
                database.share("create", "T", of: "album", participants: [RecordDatabase.participant(other.user)]))
            try await one.accept("S", in: zone)
            try await other.accept("T", in: zone)
            try await body(MoveScene(database: database, zone: zone, one: one, other: other))
        }
    }

    /// Executes a request of the owner, each of whose operations must succeed.
    func save(_ operations: JSONValue...) async throws {
        let request = try database.request(zone, operations, atomic: true)
        let answer = try await database.write(request, limits: Self.limits).answers[0]
        for record in try #require(answer["records"]?.array, "\(answer)") {
            try #require(record["serverErrorCode"] == nil, "\(record)")
        }
    }

    func move(_ name: String, below parent: String) async throws {
        try await save(database.operation("update", name, parent: parent))
    }

    /// Ends the share `S`.
    func endShare() async throws { try await save(database.operation("delete", "S")) }
}

/// The moves that a background job completes.
extension RecordDatabase {
    /// The moves in a zone.
    func moves(in zone: ZoneEntry) async throws -> ShareMoves {
        let rows = try await query(
            "select share_moves::int8 from record.zone where id = $1", [.int8(zone.row.rawValue)])
        let row = try #require(rows.first)
        return try #require(ShareMoves(rawValue: Int16(row.int64(0))))
    }

    /// Runs up to `steps` steps of the jobs, each by a job of its own, and returns their number.
    @discardableResult
    func moveRecords(steps: Int = .max, recordsPerStep: Int? = nil) async throws -> Int {
        for step in 0..<steps {
            let job = ShareMoveJob(pool: pool, logger: Self.logger, recordsPerStep: recordsPerStep)
            if try await !job.runOnce() { return step }
        }
        return steps
    }

    /// The records that participants see in each live share of a zone, with their tags: those that are stored in the share
    /// to which they belong according to their parents.
    func settledMembers(of zone: ZoneEntry) async throws -> [String: [String: String]] {
        let table = zone.database.environment.recordTable
        let rows = try await query(
            PostgresStatement(
                """
                with recursive member(name, share) as (
                    select n.name, s.id from record.share s cross join unnest(array[s.root, s.name]) as n(name)
                    where s.zone = $1 and s.ended_seq is null and s.root is not null
                    union
                    select r.name, m.share from member m join \(table) r on r.zone = $1 and r.parent = m.name
                    where r.fields is not null)
                select s.name, r.name, r.change_tag from member m join \(table) r on r.zone = $1 and r.name = m.name
                    and r.share = m.share and r.fields is not null
                join record.share s on s.zone = $1 and s.id = m.share
                """), [.int8(zone.row.rawValue)])
        var members: [String: [String: String]] = [:]
        for row in rows { members[row.string(0), default: [:]][row.string(1)] = row.string(2) }
        return members
    }
}
