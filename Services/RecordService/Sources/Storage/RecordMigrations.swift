package import PostgresClient

/// The migrations of the schema `record`, embedded from `Migrations/`.
package enum RecordMigrations {
    /// Applies what is not applied yet, under an advisory lock.
    package static let migrator = PostgresMigrator(
        schema: "record",
        migrations: [
            PostgresMigration(number: 1, name: "records", sql: text(PackageResources._001_records_sql))
        ])

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
