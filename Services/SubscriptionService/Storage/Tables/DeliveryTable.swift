package import Foundation
package import PostgresClient

/// The delivery statistics of subscriptions, for operators.
package struct DeliveryTable: Sendable {
    /// The notifications of one subscription since the statistics were last written.
    package struct Entry: Sendable {
        /// The number of notifications that the broker confirmed.
        package var delivered: Int64 = 0
        /// The number of notifications that the broker refused.
        package var refused: Int64 = 0
        /// The change number of the last notification.
        package var seq: Int64 = 0
        /// The zone of the last notification.
        package var zone = ""
        /// The time of the last notification, in milliseconds since 1970.
        package var at: Int64 = 0
        /// The delay of the last notification after the commit of its change, in milliseconds.
        package var lag: Int64 = 0
        /// The reason for the last refusal; nil if no notification was refused.
        package var error: String?

        /// Creates an entry without notifications.
        package init() {}
    }

    private let pool: PostgresPool

    /// Creates a table that is accessed through `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Adds `entries`, keyed by subscription id, to the statistics. Subscriptions that no longer exist are ignored.
    /// Takes one round trip.
    ///
    /// - Throws: `PostgresError`.
    package func add(_ entries: [UUID: Entry]) async throws {
        // Every instance locks rows in the same order, so that instances cannot deadlock.
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
