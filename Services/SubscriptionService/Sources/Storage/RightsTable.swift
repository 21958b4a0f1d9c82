internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import ServiceMessages

/// By which rights query subscriptions were judged.
struct RightsTable: Sendable {
    /// What a user may read of a type.
    struct Judgement: Sendable {
        let ownOnly: Bool
        let isDenied: Bool
        let rights: Int64
    }

    let pool: PostgresPool

    /// The queries of subscriptions as they were saved; those that are gone are left out.
    ///
    /// - Throws: `PostgresError`; `ServerError` when what is stored cannot be read. One round trip.
    func queries(of ids: [UUID]) async throws -> [UUID: WatchedQuery] {
        let statement = PostgresStatement(
            "select s.id, \(SubscriptionTable.columns) from subscription.subscription s where s.id = any($1)")
        let rows = try await pool.withConnection { try await $0.query(statement, [.uuidArray(ids)]) }
        return try rows.reduce(into: [:]) { queries, row in
            queries[row.uuid(0)] = try SubscriptionTable.subscription(row, first: 1).query
        }
    }

    /// Keeps judgements, unless there are later ones.
    ///
    /// - Throws: `PostgresError`. One round trip.
    func keep(_ judgements: [UUID: Judgement]) async throws {
        let ids = judgements.keys.sorted { $0.uuidString < $1.uuidString }
        let kept = ids.compactMap { judgements[$0] }
        _ = try await pool.withConnection { connection in
            try await connection.query(
                """
                update subscription.subscription s set own_only = k.own_only, denied = k.denied, rights = k.rights
                from unnest($1::uuid[], $2::bool[], $3::bool[], $4::int8[]) as k(id, own_only, denied, rights)
                where s.id = k.id and (s.rights is null or s.rights < k.rights)
                """,
                [
                    .uuidArray(ids), .boolArray(kept.map(\.ownOnly)), .boolArray(kept.map(\.isDenied)),
                    .int8Array(kept.map(\.rights)),
                ])
        }
    }
}
