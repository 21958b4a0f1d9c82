import CloudKitModel
import Foundation
import PostgresClient
import RequestServing
import Synchronization
import Testing

@testable import RecordService
@testable import RecordStorage

/// A store of the release before sharing, with records and with writers of that release.
struct EarlierStore: Sendable {
    /// The number of the last migration of the release before sharing.
    private static let lastMigration = 8
    private static let zones = 10

    /// The migrations after that release, in order.
    static var laterMigrations: ArraySlice<PostgresMigration> { RecordMigrations.all.dropFirst(lastMigration) }

    /// The database, whose schema `record` has been replaced.
    let database: RecordDatabase
    /// The number of records that it was filled with.
    let records: Int

    /// Replaces the schema `record` with that of the earlier release, and fills it.
    ///
    /// The user of the tests owns ten zones, `Old-1` to `Old-10`, which contain the same number of records. The first
    /// 500 records of a zone are below its record `Root`.
    ///
    /// - Parameter records: the number of records.
    init(in database: RecordDatabase, records: Int) async throws {
        self.database = database
        self.records = records
        try await database.superuser.withConnection {
            try await $0.execute(script: "drop schema record cascade")
        }
        let earlier = PostgresMigrator(
            schema: "record", migrations: Array(RecordMigrations.all.prefix(Self.lastMigration)))
        _ = try await earlier.apply(on: database.pool, logger: RecordDatabase.logger)
        try await ContainerStore(pool: database.pool).create(RecordDatabase.container)
        try await TimePartitions.record(pool: database.pool, logger: RecordDatabase.logger).runOnce()
        try await database.pool.withConnection { try await $0.execute(script: Self.fill(records)) }
    }

    /// Applies the migrations up to `last`.
    func migrate(to last: PostgresMigration) async throws {
        let migrations = RecordMigrations.all.filter { $0.number <= last.number }
        _ = try await PostgresMigrator(schema: "record", migrations: migrations).apply(
            on: database.pool, logger: RecordDatabase.logger)
    }

    /// Saves a record as a service of the earlier release does, with the lock timeout of a deployment.
    func save(_ name: String, inZone zone: Int) async throws {
        try await database.pool.withTransaction { connection in
            try await connection.execute(script: "set local zonda.sharing = ''; set local lock_timeout = '10s'")
            let locked = try await connection.query(
                "select id, change_seq from record.zone where name = $1 for no key update", [.text("Old-\(zone)")])
            let (id, seq) = (locked[0].int64(0), locked[0].int64(1) + 1)
            let environment = try await connection.query(
                "select d.environment from record.zone z join record.database d on d.id = z.database where z.id = $1",
                [.int8(id)])[0].int32(0)
            _ = try await connection.query(
                PostgresStatement(
                    """
                    insert into record.record_\(environment) (environment, zone, name, record_type, change_seq, change_tag,
                        fields, created_at, created_by, created_device, modified_at, modified_by, modified_device)
                    select \(environment), $1, $2, t.id, $3, $3::text, '{"n": 1}', now(), $4, '2', now(), $4, '2'
                    from record.record_type t where t.environment = \(environment) and t.name = 'Photo'
                    """, isPrepared: false),
                [.int8(id), .text(name), .int8(seq), .text(RecordDatabase.user)])
            _ = try await connection.query(
                "update record.zone set change_seq = $2, changed_xid = pg_current_xact_id() where id = $1",
                [.int8(id), .int8(seq)])
        }
    }

    /// The files of the tables and indexes of the schema, by name. A table that is rewritten gets a new file.
    func files() async throws -> [String: Int64] {
        let rows = try await database.query(
            """
            select c.relname::text, pg_relation_filenode(c.oid)::int8 from pg_class c
            join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'record' and c.relkind in ('r', 'i')
            """)
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.string(0), $0.int64(1)) })
    }

    private static func fill(_ records: Int) -> String {
        """
        insert into record.record_type (environment, name)
        select id, 'Photo' from record.environment where name = 'development';
        insert into record.field (record_type, name, type, indexes)
        select id, 'n', \(FieldType.int64.storageCode), 3 from record.record_type where name = 'Photo';
        insert into record.database (environment, scope, owner)
        select id, 2, '\(RecordDatabase.user)' from record.environment where name = 'development';
        insert into record.zone (database, name, change_seq)
        select d.id, 'Old-' || n, \(records / zones) from record.database d
        cross join generate_series(1, \(zones)) n where d.scope = 2;
        insert into record.record (environment, zone, name, record_type, change_seq, change_tag, fields, size, parent,
            created_at, created_by, created_device, modified_at, modified_by, modified_device)
        select d.environment, z.id, case n when 1 then 'Root' else 'r-' || n end, t.id, n, 't', '{"n": 5}', 20,
            case when n between 2 and 500 then 'Root' end, now(), d.owner, '2', now(), d.owner, '2'
        from record.zone z join record.database d on d.id = z.database
        join record.record_type t on t.environment = d.environment and t.name = 'Photo'
        cross join generate_series(1, \(records / zones)) n where d.scope = 2;
        insert into record.reference (environment, zone, target, action, source, field)
        select environment, zone, parent, 3, name, '___parent' from record.record where parent is not null;
        """
    }
}

/// Saves records as a service of the earlier release does, one after the other. May be used on any thread.
final class EarlierWriter: Sendable {
    private let store: EarlierStore
    private let zone: Int
    private let state = Mutex((saved: 0, failures: [String](), hasEnded: false))

    /// Creates a writer to the zone with the number `zone`.
    init(to store: EarlierStore, zone: Int) {
        self.store = store
        self.zone = zone
    }

    /// The number of saved records, which are named `meanwhile-1` and so on.
    var saved: Int { state.withLock { $0.saved } }
    /// The errors of the saves that failed. A save that waits for longer than a service would is one of them.
    var failures: [String] { state.withLock { $0.failures } }

    /// Saves records until ``end()`` is called or a save fails.
    func run() async {
        while state.withLock({ !$0.hasEnded && $0.failures.isEmpty }) {
            do {
                try await store.save("meanwhile-\(saved + 1)", inZone: zone)
                state.withLock { $0.saved += 1 }
            } catch {
                state.withLock { $0.failures.append("\(error)") }
            }
        }
    }

    /// Ends ``run()`` after the current save.
    func end() { state.withLock { $0.hasEnded = true } }
}
