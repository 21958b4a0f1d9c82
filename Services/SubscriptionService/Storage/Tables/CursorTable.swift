package import Foundation
package import PostgresClient
internal import ServiceMessages

/// The positions up to which the changes of zone incarnations have been delivered.
package struct CursorTable: Sendable {
    /// The position up to which the changes of a zone have been delivered.
    package struct Cursor: Sendable, Equatable {
        /// The number of the last delivered change; 0 if none.
        package var seq: Int64
        /// The time of the latest delivered change, in milliseconds since 1970; 0 if unknown.
        package var at: Int64

        /// Creates a cursor.
        package init(seq: Int64 = 0, at: Int64 = 0) { (self.seq, self.at) = (seq, at) }

        /// Returns whether `change` has been delivered. A change that is later than ``at`` has not been delivered, even
        /// if a different change with the same number has been.
        package func covers(_ change: ZoneChange) -> Bool { change.toSeq <= seq && (at == 0 || change.event.at <= at) }
    }

    /// The move of one cursor.
    package struct Move: Sendable, Equatable {
        /// The zone's incarnation.
        package var incarnation: UUID
        /// The position that the cursor is expected to have.
        package var from: Int64
        /// The position to which the cursor moves.
        package var to: Int64
        /// ``Cursor/at`` after the move.
        package var at: Int64

        /// Creates a move.
        package init(incarnation: UUID, from: Int64, to: Int64, at: Int64 = 0) {
            (self.incarnation, self.from, self.to, self.at) = (incarnation, from, to, at)
        }
    }

    private let pool: PostgresPool

    /// Creates a table that is accessed through `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Reads the cursors of zones. If a zone has no cursor, none of its changes has been delivered. Takes one round
    /// trip.
    ///
    /// - Throws: `PostgresError`.
    package func read(_ incarnations: some Sequence<UUID>) async throws -> [UUID: Cursor] {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                select k.incarnation, c.delivered, c.delivered_at from unnest($1::uuid[]) as k(incarnation)
                cross join lateral (select c.delivered, c.delivered_at from subscription.cursor c
                    where c.incarnation = k.incarnation offset 0) c
                """, [.uuidArray(Array(incarnations))])
        }
        return Dictionary(
            rows.map { ($0.uuid(0), Cursor(seq: $0.int64(1), at: $0.int64(2))) }, uniquingKeysWith: { $1 })
    }

    /// Moves the cursors that are at their expected positions. `moves` contains each incarnation at most once. Takes
    /// one round trip, in a single transaction.
    ///
    /// - Returns: the incarnations whose cursors were moved. The other cursors have been moved by another instance.
    /// - Throws: `PostgresError`. If the connection was lost, the cursors may have moved. A repeated call would then
    ///   report that they have not, so callers must read the cursors again.
    package func move(_ moves: [Move]) async throws -> Set<UUID> {
        // Every instance locks rows in the same order, so that instances cannot deadlock.
        let moves = moves.sorted { $0.incarnation.uuidString < $1.incarnation.uuidString }
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                insert into subscription.cursor as c (incarnation, previous, delivered, delivered_at)
                select * from unnest($1::uuid[], $2::int8[], $3::int8[], $4::int8[])
                on conflict (incarnation) do update set previous = excluded.previous, delivered = excluded.delivered,
                    delivered_at = excluded.delivered_at
                    where c.delivered = excluded.previous
                returning incarnation
                """,
                [
                    .uuidArray(moves.map(\.incarnation)), .int8Array(moves.map(\.from)), .int8Array(moves.map(\.to)),
                    .int8Array(moves.map(\.at)),
                ])
        }
        return Set(rows.map { $0.uuid(0) })
    }

    /// Lowers the cursors that are above the given numbers, including cursors that another instance has moved. Takes
    /// one round trip.
    ///
    /// - Throws: `PostgresError`.
    package func lower(_ cursors: [UUID: Int64]) async throws {
        let cursors = cursors.sorted { $0.key.uuidString < $1.key.uuidString }
        _ = try await pool.withConnection { connection in
            try await connection.query(
                """
                update subscription.cursor c set previous = k.seq - 1, delivered = k.seq
                from unnest($1::uuid[], $2::int8[]) as k(incarnation, seq)
                where c.incarnation = k.incarnation and c.delivered > k.seq
                """, [.uuidArray(cursors.map(\.key)), .int8Array(cursors.map(\.value))])
        }
    }

    /// Removes the cursors of zones that no longer exist. Takes one round trip.
    ///
    /// - Throws: `PostgresError`.
    package func remove(_ incarnations: some Sequence<UUID>) async throws {
        _ = try await pool.withConnection { connection in
            try await connection.query(
                "delete from subscription.cursor where incarnation = any($1)", [.uuidArray(Array(incarnations))])
        }
    }
}
