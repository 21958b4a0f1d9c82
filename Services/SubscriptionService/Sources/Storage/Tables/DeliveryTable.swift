internal import Foundation
internal import PostgresClient

/// What became of subscriptions' notifications, as operators see it.
struct DeliveryTable: Sendable {
    let pool: PostgresPool

    /// Adds to what is known; subscriptions that are gone are left out.
    ///
    /// - Throws: `PostgresError`. One round trip.
    func add(_ entries: [UUID: DeliveryJournal.Entry]) async throws {
        // In the same order in every instance: they wait for one another instead of blocking each other.
        let entries = entries.sorted { $0.key.uuidString < $1.key.uuidString }
        let values = entries.map(\.value)
        _ = try await pool.withConnection { connection in
            try await connection.query(
                """
                insert into subscription.delivery as d (id, delivered, refused, last_seq, last_zone, last_at,
                    last_lag_ms, last_error, last_error_at)
                select k.id, k.delivered, k.refused, k.seq, k.zone, k.at, k.lag, k.error,
                    case when k.error is not null then k.at end
                from unnest($1::uuid[], $2::int8[], $3::int8[], $4::int8[], $5::text[], $6::timestamptz[], $7::int8[],
                    $8::text[]) as k(id, delivered, refused, seq, zone, at, lag, error)
                where exists (select from subscription.subscription s where s.id = k.id for key share skip locked)
                on conflict (id) do update set delivered = d.delivered + excluded.delivered,
                    refused = d.refused + excluded.refused, last_seq = excluded.last_seq,
                    last_zone = excluded.last_zone, last_at = excluded.last_at, last_lag_ms = excluded.last_lag_ms,
                    last_error = coalesce(excluded.last_error, d.last_error),
                    last_error_at = coalesce(excluded.last_error_at, d.last_error_at)
                """,
                [
                    .uuidArray(entries.map(\.key)), .int8Array(values.map(\.delivered)),
                    .int8Array(values.map(\.refused)), .int8Array(values.map(\.seq)), .textArray(values.map(\.zone)),
                    .timestamptzArray(values.map(\.at)), .int8Array(values.map(\.lag)), .textArray(values.map(\.error)),
                ])
        }
    }
}
