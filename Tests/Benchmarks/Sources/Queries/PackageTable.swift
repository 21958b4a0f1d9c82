internal import PostgresClient
internal import RecordService
internal import RecordStorage

/// The packages as an application with only this data would store them: in a dedicated table, with a typed column for
/// each field and the indexes that the queries need. The table is in the service's database, in a separate schema.
enum PackageTable {
    private static let schema = "limits"

    /// The name of the table.
    static let name = "\(schema).package"

    /// The columns of an answer, the record's name first.
    static let answered = """
        name, version, section, priority, maintainer, homepage, description, "installedSize", dependencies, change_tag, \
        created_at, created_by, created_device, modified_at, modified_by, modified_device
        """

    /// Creates the table again from the records of a zone. Vacuums and analyzes both tables, so that they are in the
    /// state some time after a large import.
    ///
    /// - Throws: `PostgresError`.
    static func make(from zone: ZoneEntry, over pool: PostgresPool) async throws {
        try await drop(over: pool)
        let environment = zone.database.environment
        try await pool.withConnection { connection in
            try await connection.execute(
                script: """
                    create schema \(schema);
                    create table \(name) as select name, fields->>'version' as version, fields->>'section' as section,
                        fields->>'priority' as priority, fields->>'maintainer' as maintainer,
                        fields->>'homepage' as homepage, fields->>'description' as description,
                        (fields->>'installedSize')::int8 as "installedSize",
                        array(select jsonb_array_elements_text(fields->'dependencies')) as dependencies, tokens,
                        change_tag, created_at, created_by, created_device, modified_at, modified_by, modified_device
                    from \(environment.recordTable)
                    where environment = \(environment.rawValue) and zone = \(zone.row.rawValue) and fields is not null;
                    alter table \(name) add primary key (name);
                    create index on \(name) (maintainer, name);
                    create index on \(name) (homepage, name);
                    create index on \(name) (section, name);
                    create index on \(name) ("installedSize", name);
                    create index on \(name) using gin (lower(description) record.gin_trgm_ops);
                    create index on \(name) using gin (tokens);
                    create index on \(name) using gin (dependencies);
                    """)
            for table in [name, environment.recordTable] {
                try await connection.execute(script: "vacuum (analyze) \(table)")
            }
        }
    }

    /// Drops the table if it exists.
    ///
    /// - Throws: `PostgresError`.
    static func drop(over pool: PostgresPool) async throws {
        try await pool.withConnection {
            try await $0.execute(script: "set client_min_messages = warning; drop schema if exists \(schema) cascade")
        }
    }
}
