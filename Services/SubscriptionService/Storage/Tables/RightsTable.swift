internal import CloudKitWire
package import Foundation
package import PostgresClient

/// The read rights of the users who have query subscriptions, along with the rights numbers at which the rights were
/// checked.
package struct RightsTable: Sendable {
    /// A user's rights to read the records of a type.
    package struct ReadRights: Sendable {
        /// Whether the user may read only records created by that user.
        package let ownOnly: Bool
        /// Whether the user is not allowed to read any records.
        package let isDenied: Bool
        /// The rights number at which these read rights were checked.
        package let rights: Int64

        /// Creates read rights.
        package init(ownOnly: Bool, isDenied: Bool, rights: Int64) {
            (self.ownOnly, self.isDenied, self.rights) = (ownOnly, isDenied, rights)
        }
    }

    private let pool: PostgresPool

    /// Creates a table that is accessed through `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Returns the queries of subscriptions, each with the version of its row, keyed by subscription id. Subscriptions
    /// that no longer exist or cannot be parsed are left out. Takes one round trip.
    ///
    /// - Throws: `PostgresError`.
    package func queries(of ids: [UUID]) async throws -> [UUID: (query: WatchedQuery, version: String)] {
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

    /// Stores the read rights of subscriptions that have not changed since their queries were read. Takes one round
    /// trip.
    ///
    /// - Throws: `PostgresError`.
    package func save(_ entries: [(id: UUID, version: String, rights: ReadRights)]) async throws {
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
                    .uuidArray(entries.map(\.id)), .textArray(entries.map(\.version)),
                    .boolArray(entries.map(\.rights.ownOnly)), .boolArray(entries.map(\.rights.isDenied)),
                    .int8Array(entries.map(\.rights.rights)),
                ])
        }
    }
}
