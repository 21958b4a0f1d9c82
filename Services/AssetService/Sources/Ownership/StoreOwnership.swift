internal import AssetStorage
internal import BlobStorage
internal import ServiceRuntime

/// Ties a blob store to its database: both carry the same id, and the number of adoptions.
///
/// Without it, two instances with a folder each, or a folder beside a new database, would remove each other's files as
/// files without a row. So would a copy of the database that uses the same store.
struct StoreOwnership: Sendable {
    /// The store belongs to another database.
    struct NotOwned: Error, CustomStringConvertible {
        let description: String
    }

    let table: StoreTable
    let store: any BlobStore
    /// The environment variable that names the store, for error texts.
    let variable: String

    /// Compares the ids. A store without an id gets the database's, provided that the database has no blobs. Takes one
    /// round trip.
    ///
    /// - Throws: ``SettingError`` when the store does not belong to the database, `PostgresError`, ``BlobStoreError``.
    func check() async throws {
        let (id, hasBlobs) = try await table.identity()
        switch try await store.mark()?.id {
        case id: return
        case nil where !hasBlobs: try await store.identify(as: id)
        default:
            throw SettingError(
                variable,
                "is not the store of this database: all instances must use the same folder or the same bucket and prefix, "
                    + "and a new database needs an empty one")
        }
    }

    /// Checks that the store belongs to this database, and not to another database, of which this one is a copy. Call
    /// it before anything is removed from the store. The first database that calls it becomes the owner. Takes one
    /// round trip, two when it becomes the owner, and the read of a small file.
    ///
    /// - Throws: ``NotOwned``, `PostgresError`, ``BlobStoreError``.
    func confirm() async throws {
        let row = try await table.row()
        guard let mark = try await store.mark(), mark.id == row.id else {
            throw NotOwned(description: "the store has no id, or a different one")
        }
        guard mark.epoch == row.epoch else {
            throw NotOwned(
                description: "another database has adopted the store (epoch \(mark.epoch), here \(row.epoch)); "
                    + "run 'zonda-asset adopt' to make it this database's")
        }
        guard let home = row.home else { return try await table.setHome(epoch: row.epoch) }
        guard home == row.here else {
            throw NotOwned(
                description: "this database is a copy of the one that the store belongs to, or was moved; "
                    + "run 'zonda-asset adopt' to make the store this database's")
        }
    }

    /// Makes the store this database's own. Other databases with the same id then remove nothing from it.
    ///
    /// - Returns: the new epoch.
    /// - Throws: the errors of ``check()``.
    func adopt() async throws -> Int64 {
        try await check()
        let row = try await table.row()
        let epoch = max(row.epoch, try await store.mark()?.epoch ?? 0) + 1
        // The database first: when the store cannot be written afterwards, no database removes anything until the next
        // attempt.
        try await table.setHome(epoch: epoch)
        try await store.setMark(StoreMark(id: row.id, epoch: epoch))
        return epoch
    }
}
