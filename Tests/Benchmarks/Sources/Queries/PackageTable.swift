internal import PostgresClient
internal import RecordService
internal import RecordStorage

/// The packages as somebody would keep them who has nothing else: a table of their own, with a column for each field, of
/// its type, and the indexes that the queries want. In the service's database, in a schema of its own.
enum PackageTable {
    private static let schema = "limits"

    /// The table.
    static let name = "\(schema).package"

    /// The columns that an answer is made of, the record's name first.
    static let answered = """
        name, version, section, priority, maintainer, homepage, description, "installedSize", dependencies, change_tag, \
        created_at, created_by, created_device, modified_at, modified_by, modified_device
        """

    /// Makes the table anew from the records of a zone, and leaves both tables as they are some time after a large
    /// import: vacuumed and analysed.
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

    /// Removes the table, if it is there.
    ///
    /// - Throws: `PostgresError`.
    static func drop(over pool: PostgresPool) async throws {
        try await pool.withConnection {
            try await $0.execute(script: "set client_min_messages = warning; drop schema if exists \(schema) cascade")
        }
    }
}
