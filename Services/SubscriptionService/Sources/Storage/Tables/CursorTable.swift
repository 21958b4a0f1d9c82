internal import Foundation
internal import PostgresClient
internal import ServiceMessages

/// How far each zone incarnation was delivered.
struct CursorTable: Sendable {
    /// How far a zone was delivered.
    struct Cursor: Sendable, Equatable {
        /// The number of the last change.
        var seq: Int64 = 0
        /// When the latest of the changes was made, milliseconds since 1970; 0: not known.
        var at: Int64 = 0

        /// Whether a change was delivered: not what is younger, though its number was delivered for another one.
        func covers(_ change: ZoneChange) -> Bool { change.toSeq <= seq && (at == 0 || change.event.at <= at) }
    }

    /// A step of one cursor.
    struct Move: Sendable, Equatable {
        /// The zone.
        var incarnation: UUID
        /// Where its cursor is believed to stand.
        var from: Int64
        /// Where it shall stand.
        var to: Int64
        /// ``Cursor/at`` then.
        var at: Int64 = 0
    }

    let pool: PostgresPool

    /// The cursors of those zones; none: nothing was delivered. One round trip.
    ///
    /// - Throws: `PostgresError`.
    func read(_ incarnations: some Sequence<UUID>) async throws -> [UUID: Cursor] {
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

    /// Moves the cursors that still stand where they are believed to, each incarnation once, and says which did: of the
    /// others another instance has moved the cursor. One round trip, which is a transaction.
    ///
    /// - Throws: `PostgresError`; after a lost connection the cursors may have moved, and trying again says they have
    ///   not: the caller reads them anew in any case.
    func move(_ moves: [Move]) async throws -> Set<UUID> {
        // The same order in every instance: they wait for one another instead of blocking each other.
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

    /// Lowers the cursors that are beyond the given numbers, also those that another instance has moved. One round trip.
    ///
    /// - Throws: `PostgresError`.
    func lower(_ cursors: [UUID: Int64]) async throws {
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

    /// Forgets the cursors of zones that are no more.
    ///
    /// - Throws: `PostgresError`. One round trip.
    func remove(_ incarnations: some Sequence<UUID>) async throws {
        _ = try await pool.withConnection { connection in
            try await connection.query(
                "delete from subscription.cursor where incarnation = any($1)", [.uuidArray(Array(incarnations))])
        }
    }
}
