internal import Foundation
internal import PostgresClient
internal import ServiceRuntime

/// Ties a blob store to its database: each carries the id of the other's, and how often the store was adopted. Two instances
/// with folders of their own, or a folder beside a database that was made anew, would take each other's files for
/// leftovers and remove them; so would a copy of the database beside the same store.
struct StoreIdentity: Sendable {
    /// The database is not the one that the store belongs to.
    struct NotOwn: Error, CustomStringConvertible {
        let description: String
    }

    let pool: PostgresPool
    let store: any BlobStore
    /// What names the store's place, for the operator.
    let variable: String

    /// Compares the ids. A store without one becomes the database's, as long as that knows no blobs.
    ///
    /// - Throws: ``SettingError`` when the two do not belong together, `PostgresError`, ``BlobStoreError``.
    func check() async throws {
        let results = try await pool.withConnection { connection in
            try await connection.pipeline([
                PostgresCall("select id from asset.store"),
                PostgresCall("select exists (select from asset.blob)"),
            ])
        }
        guard let id = results[0].first?.uuid(0) else { throw Self.noRow }
        switch try await store.mark()?.id {
        case id: return
        case nil where results[1].first?.bool(0) == false: try await store.identify(as: id)
        default:
            throw SettingError(
                variable,
                "is not the store of this database's blobs: instances need one folder on a volume that all of them see, "
                    + "or one bucket and prefix, and a new database needs an empty one")
        }
    }

    /// Whether the store is this database's own, and not that of one which it is a copy of: to be asked before anything is
    /// removed. The first database that asks becomes the owner. Two round trips, and a small file.
    ///
    /// - Throws: ``NotOwn``, `PostgresError`, ``BlobStoreError``.
    func confirmOwn() async throws {
        let row = try await row()
        guard let mark = try await store.mark(), mark.id == row.id else {
            throw NotOwn(description: "the store has no id, or another one")
        }
        guard mark.epoch == row.epoch else {
            throw NotOwn(
                description: "another database has adopted the store (epoch \(mark.epoch), here \(row.epoch)); "
                    + "'zonda-asset adopt' makes it this one's")
        }
        guard let home = row.home else { return try await settle(epoch: row.epoch) }
        guard home == row.here else {
            throw NotOwn(
                description: "this database is a copy of the one that the store belongs to, or was moved; "
                    + "'zonda-asset adopt' makes the store this one's")
        }
    }

    /// Makes the store this database's own. From now on others with the same id remove nothing from it.
    ///
    /// - Returns: the new epoch.
    /// - Throws: as ``check()``.
    func adopt() async throws -> Int64 {
        try await check()
        let row = try await row()
        let epoch = max(row.epoch, try await store.mark()?.epoch ?? 0) + 1
        // First here: when the store cannot be written then, nobody removes anything until the next attempt.
        try await settle(epoch: epoch)
        try await store.setMark(StoreMark(id: row.id, epoch: epoch))
        return epoch
    }

    /// The cluster and the database.
    private static let here = """
        (select system_identifier::text from pg_control_system()) || '/'
            || (select oid::text from pg_database where datname = current_database())
        """

    private static let noRow = PostgresError(.unexpected, message: "asset.store has no row")

    private func row() async throws -> (id: UUID, epoch: Int64, home: String?, here: String) {
        let rows = try await pool.withConnection {
            try await $0.query(PostgresStatement("select id, epoch, home, \(Self.here) from asset.store"))
        }
        guard let row = rows.first else { throw Self.noRow }
        return (row.uuid(0), row.int64(1), row.stringIfPresent(2), row.string(3))
    }

    private func settle(epoch: Int64) async throws {
        _ = try await pool.withConnection {
            try await $0.query(
                PostgresStatement("update asset.store set epoch = $1, home = \(Self.here)"), [.int8(epoch)])
        }
    }
}
