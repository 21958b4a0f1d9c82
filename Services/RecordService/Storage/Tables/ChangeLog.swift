package import PostgresClient

/// The SQL statements for the change log.
package enum ChangeLog {
    /// Inserts `rows`.
    package static func insert(_ rows: [ChangeLogRow]) -> PostgresCall {
        PostgresCall(
            """
            insert into record.change (at, zone, incarnation, from_seq, to_seq, client, user_name, records, bytes)
            select now(), * from unnest($1::int8[], $2::uuid[], $3::int8[], $4::int8[], $5::text[], $6::text[], $7::jsonb[],
                $8::int4[])
            """,
            [
                .int8Array(rows.map(\.zone.rawValue)), .uuidArray(rows.map(\.incarnation)),
                .int8Array(rows.map(\.fromSeq)), .int8Array(rows.map(\.toSeq)),
                .textArray(rows.map(\.client)), .textArray(rows.map(\.user)), .jsonbArray(rows.map(\.records)),
                .int4Array(rows.map { Int32(clamping: $0.records.count) }),
            ])
    }
}
