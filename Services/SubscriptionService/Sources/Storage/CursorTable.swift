internal import Foundation
internal import PostgresClient

/// How far each zone incarnation was delivered.
struct CursorTable: Sendable {
    /// A step of one cursor.
    struct Move: Sendable, Equatable {
        /// The zone.
        var incarnation: UUID
        /// Where its cursor is believed to stand.
        var from: Int64
        /// Where it shall stand.
        var to: Int64
    }

    let pool: PostgresPool

    /// The cursors of those zones; none: nothing was delivered. One round trip.
    ///
    /// - Throws: `PostgresError`.
    func read(_ incarnations: some Sequence<UUID>) async throws -> [UUID: Int64] {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                select k.incarnation, c.delivered from unnest($1::uuid[]) as k(incarnation)
                cross join lateral (select c.delivered from subscription.cursor c
                    where c.incarnation = k.incarnation offset 0) c
                """, [.uuidArray(Array(incarnations))])
        }
        return Dictionary(rows.map { ($0.uuid(0), $0.int64(1)) }, uniquingKeysWith: max)
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
                insert into subscription.cursor as c (incarnation, previous, delivered)
                select * from unnest($1::uuid[], $2::int8[], $3::int8[])
                on conflict (incarnation) do update set previous = excluded.previous, delivered = excluded.delivered
                    where c.delivered = excluded.previous
                returning incarnation
                """,
                [
                    .uuidArray(moves.map(\.incarnation)), .int8Array(moves.map(\.from)), .int8Array(moves.map(\.to)),
                ])
        }
        return Set(rows.map { $0.uuid(0) })
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
