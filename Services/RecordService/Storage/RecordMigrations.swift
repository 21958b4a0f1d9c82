package import PostgresClient

/// The migrations of the `record` schema, embedded from `Migrations/`.
package enum RecordMigrations {
    /// Applies the migrations that have not been applied yet, under an advisory lock.
    package static let migrator = PostgresMigrator(schema: "record", migrations: all)

    /// The migrations in order.
    static let all = [
        PostgresMigration(number: 1, name: "records", sql: text(PackageResources._001_records_sql)),
        PostgresMigration(
            number: 2, name: "asset uses", sql: text(PackageResources._002_asset_uses_sql), requiring: "asset.blob"),
        PostgresMigration(number: 3, name: "schema", sql: text(PackageResources._003_schema_sql)),
        PostgresMigration(number: 4, name: "references", sql: text(PackageResources._004_references_sql)),
        PostgresMigration(number: 5, name: "retention", sql: text(PackageResources._005_retention_sql)),
        PostgresMigration(number: 6, name: "query indexes", sql: text(PackageResources._006_query_indexes_sql)),
        PostgresMigration(number: 7, name: "values", sql: text(PackageResources._007_values_sql)),
        PostgresMigration(
            number: 8, name: "store identity", sql: text(PackageResources._008_store_identity_sql)),
        PostgresMigration(number: 9, name: "zone sharing", sql: text(PackageResources._009_zone_sharing_sql)),
        PostgresMigration(number: 10, name: "record sharing", sql: text(PackageResources._010_record_sharing_sql)),
        PostgresMigration(number: 11, name: "sharing", sql: text(PackageResources._011_sharing_sql)),
        PostgresMigration(number: 12, name: "share access", sql: text(PackageResources._012_share_access_sql)),
        PostgresMigration(number: 13, name: "shared database", sql: text(PackageResources._013_shared_database_sql)),
        PostgresMigration(number: 14, name: "share moves", sql: text(PackageResources._014_share_moves_sql)),
        PostgresMigration(
            number: 15, name: "participant links", sql: text(PackageResources._015_participant_links_sql)),
        PostgresMigration(number: 16, name: "access requests", sql: text(PackageResources._016_access_requests_sql)),
        PostgresMigration(number: 17, name: "access changes", sql: text(PackageResources._017_access_changes_sql)),
    ]

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
