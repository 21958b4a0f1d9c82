internal import AssetStorage
internal import BlobStorage
internal import ServiceRuntime

/// Ties a blob store to its database: both contain the same id and the same epoch, which each adoption increments.
///
/// Without this tie, files in use could be removed because no row refers to them. This would happen if each instance
/// had its own folder, if an existing folder were used with a new database, or if a copy of the database used the same
/// store.
struct StoreOwnership: Sendable {
    /// The error thrown if the store belongs to another database.
    struct NotOwned: Error, CustomStringConvertible {
        let description: String
    }

    let table: StoreTable
    let store: any BlobStore
    /// The environment variable that names the store, for error messages.
    let variable: String

    /// Checks that the ids match. A store without an id gets the database's id, provided that the database has no
    /// blobs. Takes one round trip.
    ///
    /// - Throws: `PostgresError`, ``BlobStoreError``, or a ``SettingError`` if the store does not belong to the
    ///   database.
    func check() async throws {
        let (id, hasBlobs) = try await table.identity()
        switch try await store.mark()?.id {
        case id: return
        case nil where !hasBlobs: try await store.identify(as: id)
        default:
            throw SettingError(
                variable,
                "is not the store of this database: all instances must use the same folder or the same bucket and prefix, "
                    + "and a new database needs an empty store")
        }
    }

    /// Checks that the store belongs to this database. A database and its copy have the same id, but the store belongs
    /// to only one of them. Must be called before anything is removed from the store. The first database for which this
    /// method is called becomes the owner. Takes one round trip (two if the database becomes the owner), and reads a
    /// small file.
    ///
    /// - Throws: ``NotOwned``, `PostgresError`, ``BlobStoreError``.
    func confirm() async throws {
        let row = try await table.row()
        guard let mark = try await store.mark(), mark.id == row.id else {
            throw NotOwned(description: "the store has no id, or has a different one")
        }
        guard mark.epoch == row.epoch else {
            throw NotOwned(
                description: "another database has adopted the store (the store's epoch is \(mark.epoch), "
                    + "this database's is \(row.epoch)); "
                    + "run 'zonda-asset adopt' to make the store belong to this database")
        }
        guard let home = row.home else { return try await table.setHome(epoch: row.epoch) }
        guard home == row.here else {
            throw NotOwned(
                description: "this database is a copy of the one that the store belongs to, or has been moved; "
                    + "run 'zonda-asset adopt' to make the store belong to this database")
        }
    }

    /// Makes the store belong to this database. From then on, services that use another database with the same id
    /// remove nothing from the store.
    ///
    /// - Returns: the new epoch.
    /// - Throws: any error that ``check()`` throws.
    func adopt() async throws -> Int64 {
        try await check()
        let row = try await table.row()
        let epoch = max(row.epoch, try await store.mark()?.epoch ?? 0) + 1
        // The database is updated first: if writing to the store then fails, no service removes anything until the next
        // attempt.
        try await table.setHome(epoch: epoch)
        try await store.setMark(StoreMark(id: row.id, epoch: epoch))
        return epoch
    }
}
