package import Foundation
package import PostgresClient

/// A row of `record.change`: one run of one client's changes in a zone, in one transaction.
package struct ChangeLogRow: Sendable {
    /// The zone.
    package var zone: ZoneRow
    /// Its incarnation.
    package var incarnation: UUID
    /// The first change.
    package var fromSeq: Int64
    /// The last one.
    package var toSeq: Int64
    /// The originating client.
    package var client: String?
    /// The acting user.
    package var user: String
    /// Milliseconds since 1970.
    package var at: Int64
    /// The changes as a JSON array, exactly as events carry them.
    package var records: [UInt8]
}

/// The statements over the change log.
package enum ChangeLog {
    /// Keeps `rows`, all written at `at`.
    package static func insert(_ rows: [ChangeLogRow], at: Int64) -> PostgresCall {
        PostgresCall(
            """
            insert into record.change (at, zone, incarnation, from_seq, to_seq, client, user_name, records)
            select $1, * from unnest($2::int8[], $3::uuid[], $4::int8[], $5::int8[], $6::text[], $7::text[], $8::jsonb[])
            """,
            [
                .timestamptz(millisecondsSince1970: at), .int8Array(rows.map(\.zone.rawValue)),
                .uuidArray(rows.map(\.incarnation)), .int8Array(rows.map(\.fromSeq)), .int8Array(rows.map(\.toSeq)),
                .textArray(rows.map(\.client)), .textArray(rows.map(\.user)), .jsonbArray(rows.map(\.records)),
            ])
    }
}
