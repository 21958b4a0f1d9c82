import CloudKitModel
import CloudKitSchema
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// The operations that tests of indexes need.
extension RecordDatabase {
    /// Builds and drops indexes until nothing is left to do.
    func buildIndexes() async throws {
        let builder = IndexBuilder(pool: pool, logger: Self.logger)
        while try await builder.runOnce() {}
    }

    /// Finds a session that waits for a lock in this database.
    static let waiting: PostgresStatement = """
        select from pg_stat_activity where wait_event_type = 'Lock' and usename = current_user
        """

    /// Waits until the statement returns a row.
    func wait(for statement: PostgresStatement, _ parameters: [PostgresParameter] = []) async throws {
        while try await query(statement, parameters).isEmpty { await Task.yield() }
    }

    /// Runs `work` while another session holds locks on the zones and a record, and the index builder waits for them.
    func whileABuildWaits(_ client: RecordClient, _ work: @escaping @Sendable () async throws -> Void) async throws {
        let environment = try await client.environmentRow()
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await superuser.withTransaction { connection in
                _ = try await connection.query("select from record.zone for update")
                _ = try await connection.query(
                    PostgresStatement("update \(environment.recordTable) set size = size where name = 'a'"))
                group.addTask { try await buildIndexes() }
                try await wait(for: Self.waiting)
                try await work()
            }
            try await group.waitForAll()
        }
    }
}

extension RecordClient {
    /// Returns the states of the environment's indexes, with keys of the form `field method`.
    func indexStates() async throws -> [String: String] {
        let status = try await operate(.schemaStatus, ["environment": .string(environment)])
        let indexes = try #require(status["indexes"]?.array, "\(status)")
        return Dictionary(
            uniqueKeysWithValues: indexes.map {
                ("\($0["field"]?.string ?? "") \($0["method"]?.string ?? "")", $0["state"]?.string ?? "")
            })
    }

    /// Demands the index over the words of a type's records, as a query in development does.
    func demandWords(of type: String = "Note") async throws {
        let id = try #require(try await schema().type(type)).id
        let index = FieldIndex(key: .words(of: id), type: .string, kinds: .searchable)
        try await IndexTable(environmentRow()).demand([index], on: database.pool)
    }

    /// Returns the sorted words of a record; nil if it has none.
    func words(_ name: String) async throws -> [String]? {
        let environment = try await environmentRow()
        let rows = try await database.query(
            PostgresStatement("select tokens from \(environment.recordTable) where name = $1"), [.text(name)])
        return try #require(rows.first).textArrayIfPresent(0)?.sorted()
    }

    /// Imports a schema into development.
    func importSchema(_ text: String) async throws {
        let imported = try await operate(.schemaImport, ["schema": .string(text)])
        try #require(imported["version"] != nil, "\(imported)")
    }
}
