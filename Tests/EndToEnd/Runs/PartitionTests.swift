import PostgresClient
import TestSupport
import Testing

extension EndToEndTests {
    /// The change log and the request table keep their rows for a day.
    @Suite(.timeLimit(.minutes(1))) struct PartitionTests {
        @Test func oldPartitionsGoAlsoThoseThatWereLeftHalfDropped() async throws {
            try await ServiceStack.with { stack in
                let first = try await stack.startService()
                first.terminate()
                _ = try await first.exit(within: .seconds(10))
                let database = stack.database
                // One partition is still attached. A process has left the other one between detaching and dropping it.
                _ = try await database.query(
                    """
                    create table record.change_2020010100 partition of record.change
                        for values from ('2020-01-01 00:00Z') to ('2020-01-01 01:00Z')
                    """)
                _ = try await database.query("create table record.request_2020010100 (like record.request)")

                // Both are dropped before the service is ready.
                try await stack.startService()

                let tables = try await database.query(
                    """
                    select c.relname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
                    where n.nspname = 'record' and c.relkind = 'r' and c.relname ~ '^(change|request)_[0-9]+$'
                    """)
                #expect(!tables.isEmpty)
                #expect(tables.allSatisfy { !$0.string(0).hasSuffix("_2020010100") })
            }
        }
    }
}
