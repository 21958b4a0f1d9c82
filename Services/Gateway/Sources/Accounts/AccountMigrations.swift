package import PostgresClient

/// The migrations of the schema `account`, embedded from `Migrations/`.
package enum AccountMigrations {
    /// Applies what is not applied yet, under an advisory lock.
    package static let migrator = PostgresMigrator(
        schema: "account",
        migrations: [
            PostgresMigration(number: 1, name: "accounts", sql: text(PackageResources._001_accounts_sql))
        ])

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
