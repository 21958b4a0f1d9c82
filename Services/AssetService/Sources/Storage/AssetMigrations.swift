package import PostgresClient

/// The migrations of the schema `asset`, embedded from `Migrations/`.
package enum AssetMigrations {
    /// Applies what is not applied yet, under an advisory lock.
    package static let migrator = PostgresMigrator(
        schema: "asset",
        migrations: [
            PostgresMigration(number: 1, name: "assets", sql: text(PackageResources._001_assets_sql))
        ])

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
