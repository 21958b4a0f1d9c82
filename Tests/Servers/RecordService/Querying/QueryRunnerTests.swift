import AMQPClient
import CloudKitModel
import CloudKitQuery
import CloudKitWire
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// The limits of a query's pages, in time and in memory.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct QueryRunnerTests {
    /// A query that is evaluated in memory, in enough steps for the deadline to be checked.
    private static let inMemory = "title MATCHES 'a+b'"

    private static func fill(_ database: RecordDatabase) async throws {
        let zone = try await database.zone()
        let title = JSONValue.string(String(repeating: "a", count: 10_000) + "b")
        try await database.write(
            try database.request(
                zone, database.operation("create", "a", ["title": title]),
                database.operation("create", "b", ["title": title])))
    }

    private static func plan(_ database: RecordDatabase, _ format: String) async throws -> QueryPlan {
        let context = try RequestContext(
            AMQPProperties(messageID: "m", headers: RecordDatabase.headers()), operation: .recordsQuery)
        let resolver = QueryResolver(source: database.store.querySource, context: context)
        let place = try await resolver.place(QueryScope(zoneID: ZoneID(zoneName: ZoneName(unchecked: "Z"))))
        return try await resolver.plan(
            Query(recordType: "Photo", predicate: try Predicate(format: format, now: 0)), in: place,
            try await database.store.schema.latest(place.environment))
    }

    @Test func theFirstRecordOfAPageHasTheWholeTimeForItself() async throws {
        try await RecordDatabase.with { database in
            try await Self.fill(database)
            let plan = try await Self.plan(database, Self.inMemory)
            // PostgreSQL has used all the time.
            let runner = QueryRunner(source: database.store.querySource, deadline: .now - .seconds(1))
            let first = try await runner.page(plan, after: nil, limit: 10, keeping: \.key.name)
            #expect(first.found == ["a"])
            #expect(first.isCutShort)
            let second = try await runner.page(plan, after: first.next, limit: 10, keeping: \.key.name)
            #expect(second.found == ["b"])
        }
    }

    @Test func anAbandonedQueryIsNotCalledTooExpensive() async throws {
        try await RecordDatabase.with { database in
            try await Self.fill(database)
            let plan = try await Self.plan(database, Self.inMemory)
            let runner = QueryRunner(source: database.store.querySource)
            let cancelled = Task {
                let page = try await runner.page(plan, after: nil, limit: 10) { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                }
                return page.isCutShort
            }
            await #expect(throws: CancellationError.self) { try await cancelled.value }
        }
    }

    @Test func aRecordOfWhichMemoryHasDecidedDoesNotKeepThoseReadWithIt() async throws {
        try await RecordDatabase.with { database in
            try await Self.fill(database)
            func areRows(_ format: String) async throws -> [Bool] {
                try await QueryRunner(source: database.store.querySource).page(
                    try await Self.plan(database, format), after: nil, limit: 10
                ) { found in
                    if case .row = found { true } else { false }
                }.found
            }
            #expect(try await areRows(Self.inMemory) == [false, false])
            #expect(try await areRows("TRUEPREDICATE") == [true, true])
            // Both are reported in the same way.
            let decided = try await database.find("Photo", Self.inMemory)
            #expect(decided.names == ["a", "b"])
            #expect(try await database.find()["records"] == decided["records"])
        }
    }
}
