internal import Logging
package import PostgresClient
internal import RequestServing

/// The migrations of the schema `account`, embedded from `Migrations/`.
package enum AccountMigrations {
    /// Applies what is not applied yet, under an advisory lock.
    package static let migrator = PostgresMigrator(
        schema: "account",
        migrations: [
            PostgresMigration(number: 1, name: "accounts", sql: text(PackageResources._001_accounts_sql)),
            PostgresMigration(number: 2, name: "sign_ins", sql: text(PackageResources._002_sign_ins_sql)),
        ])

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension RequestTable {
    /// The gateway's: operators' writes.
    static let account = RequestTable(schema: "account")
}

extension TimePartitions {
    /// Those of operators' writes.
    static func account(pool: PostgresPool, logger: Logger) -> TimePartitions {
        TimePartitions(schema: "account", series: [Series(table: "request", hours: 4)], pool: pool, logger: logger)
    }
}
