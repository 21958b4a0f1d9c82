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

    /// The queries of subscriptions, each with the version of its row; those that are gone, or cannot be read, are left
    /// out.
    ///
    /// - Throws: `PostgresError`. One round trip.
    func queries(of ids: [UUID]) async throws -> [UUID: (query: WatchedQuery, version: String)] {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                select s.id, s.xmin::text, s.query, s.record_type from subscription.subscription s
                where s.id = any($1) and s.kind = 1
                """, [.uuidArray(ids)])
        }
        return rows.reduce(into: [:]) { queries, row in
            guard let dictionary = row.jsonbIfPresent(2).flatMap({ try? JSONValue(parsing: $0) }) else { return }
            let query = WatchedQuery(
                dictionary: dictionary, recordType: row.stringIfPresent(3) ?? "", zoneID: nil, firesOn: [],
                firesOnce: false)
            queries[row.uuid(0)] = (query, row.string(1))
        }
    }

    /// Keeps judgements of subscriptions that nobody has changed since their queries were read.
    ///
    /// - Throws: `PostgresError`. One round trip.
    func keep(_ judgements: [(id: UUID, version: String, Judgement)]) async throws {
        _ = try await pool.withConnection { connection in
            try await connection.query(
                """
                with held as (select s.id from subscription.subscription s where s.id = any($1)
                    order by s.id for no key update)
                update subscription.subscription s set own_only = k.own_only, denied = k.denied, rights = k.rights
                from unnest($1::uuid[], $2::text[], $3::bool[], $4::bool[], $5::int8[])
                        as k(id, version, own_only, denied, rights)
                    join held h on h.id = k.id
                where s.id = k.id and s.xmin::text = k.version
                """,
                [
                    .uuidArray(judgements.map(\.id)), .textArray(judgements.map(\.version)),
                    .boolArray(judgements.map(\.2.ownOnly)), .boolArray(judgements.map(\.2.isDenied)),
                    .int8Array(judgements.map(\.2.rights)),
                ])
        }
    }
}
