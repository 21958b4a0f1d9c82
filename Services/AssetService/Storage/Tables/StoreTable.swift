package import Foundation
package import PostgresClient

/// The operations on `asset.store`, whose only row ties the database to a blob store.
///
/// All operations throw `PostgresError`, for example if the row is missing.
package struct StoreTable: Sendable {
    /// The row of `asset.store`.
    package struct Row: Sendable {
        /// The id that the database and its store share.
        package var id: UUID
        /// The epoch, a number that each adoption increments.
        package var epoch: Int64
        /// The cluster and database that last adopted the store; nil before the first adoption.
        package var home: String?
        /// The cluster and database to which `pool` connects.
        package var here: String
    }

    private static let here = """
        (select system_identifier::text from pg_control_system()) || '/'
            || (select oid::text from pg_database where datname = current_database())
        """

    private static let noRow = PostgresError(.unexpected, message: "asset.store has no row")

    private let pool: PostgresPool

    /// Creates the operations, which use `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Returns the id of the store, and whether there are blobs. Takes one round trip.
    package func identity() async throws -> (id: UUID, hasBlobs: Bool) {
        let results = try await pool.withConnection { connection in
            try await connection.pipeline([
                PostgresCall("select id from asset.store"),
                PostgresCall("select exists (select from asset.blob)"),
            ])
        }
        guard let id = results[0].first?.uuid(0) else { throw Self.noRow }
        return (id, results[1].first?.bool(0) ?? true)
    }

    /// Reads the row. Takes one round trip.
    package func row() async throws -> Row {
        let rows = try await pool.withConnection {
            try await $0.query(PostgresStatement("select id, epoch, home, \(Self.here) from asset.store"))
        }
        guard let row = rows.first else { throw Self.noRow }
        return Row(id: row.uuid(0), epoch: row.int64(1), home: row.stringIfPresent(2), here: row.string(3))
    }

    /// Records that this cluster and database are the home of the store, and sets the epoch. Takes one round trip.
    package func setHome(epoch: Int64) async throws {
        _ = try await pool.withConnection {
            try await $0.query(
                PostgresStatement("update asset.store set epoch = $1, home = \(Self.here)"), [.int8(epoch)])
        }
    }
}
