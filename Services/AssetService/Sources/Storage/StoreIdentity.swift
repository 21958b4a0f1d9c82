internal import Foundation
internal import PostgresClient
internal import ServiceRuntime

/// Ties a blob store to its database: each carries the id of the other's. Two instances with folders of their own, or a
/// folder beside a database that was made anew, would take each other's files for leftovers and remove them.
struct StoreIdentity: Sendable {
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
        guard let id = results[0].first?.uuid(0) else {
            throw PostgresError(.unexpected, message: "asset.store has no row")
        }
        switch try await store.identity() {
        case id: return
        case nil where results[1].first?.bool(0) == false: try await store.identify(as: id)
        default:
            throw SettingError(
                variable,
                "is not the store of this database's blobs: instances need one folder on a volume that all of them see, "
                    + "or one bucket and prefix, and a new database needs an empty one")
        }
    }
}
