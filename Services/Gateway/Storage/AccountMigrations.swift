package import PostgresClient

/// The migrations of the `account` schema, embedded from `Migrations/`.
package enum AccountMigrations {
    /// Applies the migrations that have not been applied yet, under an advisory lock.
    package static let migrator = PostgresMigrator(
        schema: "account",
        migrations: [
            PostgresMigration(number: 1, name: "accounts", sql: text(PackageResources._001_accounts_sql)),
            PostgresMigration(number: 2, name: "sign_ins", sql: text(PackageResources._002_sign_ins_sql)),
        ])

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
