package import PostgresClient

/// The migrations of the `asset` schema, embedded from `Migrations/`.
package enum AssetMigrations {
    /// Returns the migrator. After the migrations, it grants the record service's role the right to refer to blobs with
    /// a foreign key. This is the role's only right in the schema.
    ///
    /// - Parameter recordRole: the record service's role; nil if both services use the same role.
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
