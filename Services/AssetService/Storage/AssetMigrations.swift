package import PostgresClient

/// The migrations of the schema `asset`, embedded from `Migrations/`.
package enum AssetMigrations {
    /// Applies what is not applied yet, under an advisory lock, and lets the record service's role make a foreign key to
    /// the blobs, which is all that it may do with this schema. Without a role both services are taken to have the same.
    package static func migrator(recordRole: String?) -> PostgresMigrator {
        PostgresMigrator(
            schema: "asset",
            migrations: [
                PostgresMigration(number: 1, name: "assets", sql: text(PackageResources._001_assets_sql)),
                PostgresMigration(number: 2, name: "stock", sql: text(PackageResources._002_stock_sql)),
                PostgresMigration(number: 3, name: "bond", sql: text(PackageResources._003_bond_sql)),
            ]
        ).granting("references", on: "asset.blob", to: recordRole)
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
