import CloudKitModel
import PostgresClient
import Testing

@testable import RecordStorage

/// The plans of the statements that follow references from their targets.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(2)))
struct ReferencePlanTests {
    /// A zone that was just filled is the case in which the planner knows least: the table has not been analyzed. The
    /// numbers of records are those at which the indexes have the same height, and different heights.
    @Test(arguments: [3000, 20_000])
    func referencesToARecordAreFoundWithoutReadingThoseOfTheWholeZone(count: Int) async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let environment = zone.database.environment
            let key = RecordKey(zone: zone.row, name: RecordName(unchecked: "r0"))
            let statements = [
                MembershipTable(environment).below([key.name], in: zone.row, limit: 10_001),
                ReferenceTable(environment).incoming(to: [key], limit: 10_001, holders: 12_001),
            ]
            try await database.pool.withTransaction { connection in
                _ = try await connection.query(
                    PostgresStatement(
                        """
                        insert into \(environment.referenceTable) (environment, zone, target, action, source, field)
                        select $1, $2, 'r' || (n - 1) / 10, a.action, 'r' || n, 'parent'
                        from generate_series(1, $3) n cross join unnest(array[1, 3]) as a(action)
                        """), [.int4(environment.rawValue), .int8(zone.row.rawValue), .int4(Int32(count))])
                _ = try await connection.pipeline([ReferenceTable.byTarget])
                for call in statements {
                    let rows = try await connection.query(
                        PostgresStatement("explain (costs off) " + call.statement.sql), call.parameters)
                    let plan = rows.map { $0.string(0) }.joined(separator: "\n")
                    #expect(plan.contains("target = "), "\(plan)")
                    #expect(!plan.contains("Filter: ((target"), "\(plan)")
                }
            }
        }
    }
}
