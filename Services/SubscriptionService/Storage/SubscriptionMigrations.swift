package import PostgresClient

/// The migrations of the `subscription` schema, embedded from `Migrations/`.
package enum SubscriptionMigrations {
    /// Applies the migrations that have not been applied yet, while holding an advisory lock.
    package static let migrator = PostgresMigrator(
        schema: "subscription",
        migrations: [
            PostgresMigration(number: 1, name: "subscriptions", sql: text(PackageResources._001_subscriptions_sql)),
            PostgresMigration(number: 2, name: "kinds", sql: text(PackageResources._002_kinds_sql)),
            PostgresMigration(number: 3, name: "clients", sql: text(PackageResources._003_clients_sql)),
            PostgresMigration(number: 4, name: "consumers", sql: text(PackageResources._004_consumers_sql)),
            PostgresMigration(number: 5, name: "sessions", sql: text(PackageResources._005_sessions_sql)),
            PostgresMigration(number: 6, name: "cursor times", sql: text(PackageResources._006_cursor_times_sql)),
            PostgresMigration(
                number: 7, name: "shared databases", sql: text(PackageResources._007_shared_databases_sql)),
        ])

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
