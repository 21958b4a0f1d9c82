package import PostgresClient

/// The SQL statements for `record.store`. Its only row contains the identity of the store and the place where the store
/// was last seen.
package enum StoreTable {
    /// Reads the stored row and the server's own place as a single row. Every role is allowed to read both. The
    /// timeline is taken from the name of the WAL file that is being written, because, for a while after a promotion,
    /// the last checkpoint still contains the former timeline.
    package static let sighting: PostgresStatement = """
        select s.incarnation::text, s.system_identifier, s.timeline, s.relation::int8,
            (select c.system_identifier from pg_control_system() c),
            case when not pg_is_in_recovery()
                then ('x' || lpad(left(pg_walfile_name(pg_current_wal_lsn()), 8), 16, '0'))::bit(64)::int8 end,
            s.tableoid::int8,
            case when not pg_is_in_recovery() then (pg_current_wal_lsn() - '0/0'::pg_lsn)::int8 end
        from record.store s
        """

    /// Writes the place of a store that has none yet, unless another instance has written the row since `sighting`.
    package static func note(_ place: StorePlace, over sighting: StoreSighting) -> PostgresCall {
        PostgresCall(
            """
            update record.store s set system_identifier = $1, timeline = $2, relation = $3::int8::oid
            where s.incarnation = $4::text::uuid and s.system_identifier is null
            """, parameters(place, sighting))
    }

    /// Renews the incarnation of a store whose place has changed, in the transaction of `connection`, unless another
    /// instance has done so since `sighting`. Takes three round trips.
    ///
    /// - Returns: whether this call renewed the incarnation.
    /// - Throws: `PostgresError`.
    package static func renew(
        at place: StorePlace, over sighting: StoreSighting, on connection: PostgresConnection
    ) async throws -> Bool {
        let renewed = try await connection.query(
            """
            update record.store s set incarnation = gen_random_uuid(), system_identifier = $1, timeline = $2,
                relation = $3::int8::oid, renewed_at = now()
            where s.incarnation = $4::text::uuid
            """, parameters(place, sighting))
        guard renewed.affectedRows == 1 else { return false }
        // If the server's transaction ids now continue from a lower number, stored ids might be in the future.
        _ = try await connection.query(
            "update record.zone z set changed_xid = pg_current_xact_id() where z.changed_xid > pg_current_xact_id()")
        _ = try await connection.query(
            "update record.database d set purge_mark = '0' where d.purge_mark > pg_current_xact_id()")
        return true
    }

    private static func parameters(_ place: StorePlace, _ sighting: StoreSighting) -> [PostgresParameter] {
        [.int8(place.systemIdentifier), .int8(place.timeline), .int8(place.relation), .text(sighting.incarnation)]
    }
}
