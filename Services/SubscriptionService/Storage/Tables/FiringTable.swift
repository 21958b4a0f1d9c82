package import Foundation
package import PostgresClient

/// The firings of subscriptions that fire once.
package struct FiringTable: Sendable {
    /// A firing of a subscription that fires once.
    package struct Claim: Sendable {
        /// The id of the subscription's row.
        package let id: UUID
        /// The incarnation of the changed zone.
        package let incarnation: UUID
        /// The number of the change.
        package let seq: Int64
        /// Whether the change merges several transactions.
        package let isMerged: Bool
        /// The id of the transaction that made the change.
        package let xid: UInt64

        /// Creates a claim.
        package init(id: UUID, incarnation: UUID, seq: Int64, isMerged: Bool, xid: UInt64) {
            (self.id, self.incarnation, self.seq) = (id, incarnation, seq)
            (self.isMerged, self.xid) = (isMerged, xid)
        }
    }

    private let pool: PostgresPool

    /// Creates a table that is accessed through `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Claims each subscription for its first firing in `claims`.
    ///
    /// A subscription that has already been claimed stays claimed for the same change, so that only this change's
    /// notification is repeated. The claim passes to another change only if the notification was never confirmed and
    /// its change has become part of a merged change. Takes one round trip, in a single transaction.
    ///
    /// - Returns: the change for which each subscription is claimed, keyed by subscription id. Subscriptions that no
    ///   longer exist, or that do not fire because they were saved again, are left out.
    /// - Throws: `PostgresError`.
    package func claim(_ claims: [Claim]) async throws -> [UUID: (incarnation: UUID, seq: Int64)] {
        let ids = PostgresParameter.uuidArray(claims.map(\.id))
        // A separate statement locks the rows. The snapshot of the update is therefore later than the moments of
        // subscriptions that were saved again in the meantime, and the update does not mistake these moments for
        // moments in the future.
        let lock = PostgresCall(
            "select s.id from subscription.subscription s where s.id = any($1) order by s.id for no key update", [ids])
        let claim = PostgresCall(
            Self.claimStatement,
            [
                ids, .uuidArray(claims.map(\.incarnation)), .int8Array(claims.map(\.seq)),
                .boolArray(claims.map(\.isMerged)), .textArray(claims.map { "\($0.xid)" }),
            ])
        let rows = try await pool.withConnection { connection in
            try await connection.pipeline([.begin, lock, claim, .commit])[2]
        }
        return Dictionary(rows.map { ($0.uuid(0), ($0.uuid(1), $0.int64(2))) }, uniquingKeysWith: { first, _ in first })
    }

    /// Notes that the broker has confirmed the notifications of the claimed subscriptions `ids`. Takes one round trip.
    ///
    /// - Throws: `PostgresError`.
    package func confirm(_ ids: [UUID]) async throws {
        _ = try await pool.withConnection { connection in
            try await connection.query(
                """
                with held as (select s.id from subscription.subscription s where s.id = any($1) and s.fired_seq is not null
                    order by s.id for no key update)
                update subscription.subscription s set told = true from held h where s.id = h.id
                """, [.uuidArray(ids)])
        }
    }

    /// Removes each subscription that fires once and has fired, if the zone's cursor has reached the change for which
    /// it fired. If the cursor never reaches that change because the zone was deleted, the subscription is removed
    /// after a week. Takes one round trip.
    ///
    /// - Throws: `PostgresError`.
    package func removeFired() async throws {
        _ = try await pool.withConnection { connection in
            try await connection.query(
                """
                delete from subscription.subscription where id in (
                    select s.id from subscription.subscription s
                    left join subscription.cursor c on c.incarnation = s.fired_incarnation
                    where s.fired_seq is not null
                        and (c.delivered >= s.fired_seq or s.fired_at < now() - interval '7 days')
                    order by s.id for update of s skip locked)
                """)
        }
    }

    private static let claimStatement = PostgresStatement(
        """
        with firing as (
            select distinct on (id) id, incarnation, seq, merged, xid::xid8 as xid
            from unnest($1::uuid[], $2::uuid[], $3::int8[], $4::bool[], $5::text[])
                with ordinality as k(id, incarnation, seq, merged, xid, position)
            order by id, position
        )
        update subscription.subscription s set
            fired_incarnation = coalesce(s.fired_incarnation, k.incarnation),
            fired_at = coalesce(s.fired_at, now()),
            fired_seq = case when s.fired_seq is null
                or (not s.told and k.merged and s.fired_incarnation = k.incarnation and s.fired_seq < k.seq)
                then k.seq else s.fired_seq end
        from firing k where s.id = k.id
            -- Not one that was saved again meanwhile.
            and s.snapshot is not null
            and (not pg_visible_in_snapshot(k.xid, s.snapshot) or \(MomentTable.isInFuture("s.snapshot")))
        returning s.id, s.fired_incarnation, s.fired_seq
        """)
}
