package import BlobStorage
internal import PostgresClient

/// The state of the reconciliation, which compares files, rows and uses.
extension BlobTable {
    /// Records that stray files have just been seen.
    ///
    /// - Returns: the files that were first seen at least `delay` ago.
    package func noteStrays(_ keys: [BlobKey], confirmedAfter delay: Duration) async throws -> [BlobKey] {
        try await query(
            """
            insert into asset.stray as s (key) select k from unnest($1::text[]) as n(k) order by k
            on conflict (key) do update set last_seen = now()
            returning s.key, s.first_seen <= now() - make_interval(secs => $2)
            """, [.textArray(keys.map(\.rawValue)), .float8(delay / .seconds(1))]
        ).compactMap { $0.bool(1) ? BlobKey($0.string(0)) : nil }
    }

    /// Deletes the row of a stray file that has been removed.
    package func forgetStray(_ key: BlobKey) async throws {
        _ = try await query("delete from asset.stray where key = $1", [.text(key.rawValue)])
    }

    /// Deletes the rows of stray files that a complete walk did not see. Such files no longer exist or are no longer
    /// stray.
    ///
    /// - Parameter time: the beginning of the walk, in milliseconds since 1970.
    package func forgetStrays(notSeenSince time: Int64) async throws {
        _ = try await query(
            "delete from asset.stray where last_seen < $1", [.timestamptz(millisecondsSince1970: time)])
    }

    /// Returns up to `limit` known stray files, in the order in which they were first seen, and the total number of
    /// known stray files.
    package func strays(limit: Int) async throws -> (files: [StrayFile], total: Int64) {
        let results = try await pool.withConnection { connection in
            try await connection.pipeline([
                PostgresCall(
                    "select key, first_seen, last_seen from asset.stray order by first_seen, key limit $1",
                    [.int4(Int32(limit))]),
                PostgresCall("select count(*) from asset.stray"),
            ])
        }
        let files = results[0].map {
            StrayFile(key: $0.string(0), firstSeen: $0.milliseconds(1), lastSeen: $0.milliseconds(2))
        }
        return (files, results[1][0].int64(0))
    }

    /// Returns up to `limit` blobs after `last`, in order of id.
    package func page(after last: BlobID, limit: Int) async throws -> [StoredBlob] {
        try await query(
            PostgresStatement("select \(Self.columns) from asset.blob b where b.id > $1 order by b.id limit $2"),
            [.int8(last.rawValue), .int4(Int32(limit))]
        ).map(Self.blob)
    }

    /// Returns up to `limit` condemned blobs after `last`, in order of id.
    package func condemned(after last: BlobID, limit: Int) async throws -> [(id: BlobID, container: String)] {
        try await query(
            "select id, container from asset.blob where id > $1 and state = 'condemned' order by id limit $2",
            [.int8(last.rawValue), .int4(Int32(limit))]
        ).map { (BlobID(rawValue: $0.int64(0)), $0.string(1)) }
    }

    /// Makes condemned blobs live again.
    ///
    /// - Returns: the number of blobs that had been condemned.
    package func revive(_ blobs: [BlobID]) async throws -> Int {
        Int(
            try await query(
                """
                update asset.blob set state = 'live', condemned_at = null, due = null
                where id = any($1) and state = 'condemned'
                """, [.int8Array(blobs.map(\.rawValue))]
            ).affectedRows)
    }

    /// A walk over blobs in order of id. Each round covers a part of the walk.
    package enum Walk: String {
        /// The live blobs without a valid receipt.
        case candidates = "candidates_to"
        /// The condemned blobs.
        case condemned = "condemned_to"
    }

    /// Returns the place from which a walk continues.
    package func place(of walk: Walk) async throws -> BlobID {
        let statement = PostgresStatement("select \(walk.rawValue) from asset.round")
        return BlobID(rawValue: try await query(statement, [])[0].int64(0))
    }

    /// Stores the place from which a walk continues.
    package func keep(_ place: BlobID, as walk: Walk) async throws {
        _ = try await query(PostgresStatement("update asset.round set \(walk.rawValue) = $1"), [.int8(place.rawValue)])
    }

    /// Returns the place from which the walk over the files continues (nil at the beginning) and the time, in
    /// milliseconds since 1970, at which the walk began.
    package func fileWalk() async throws -> (place: String?, began: Int64) {
        let row = try await query("select files_to, files_began from asset.round", [])[0]
        return (row.stringIfPresent(0), row.milliseconds(1))
    }

    /// Stores the place from which the walk over the files continues. If the place is nil, a new walk begins now.
    package func keepFileWalk(_ place: String?) async throws {
        _ = try await query(
            """
            update asset.round set files_to = $1, files_began = case when $1 is null then now() else files_began end
            """, [.text(place)])
    }

    /// Returns the number of known stray files and the number of live blobs.
    package func strayShare() async throws -> (strays: Int64, blobs: Int64) {
        let row = try await query(
            """
            select (select count(*) from asset.stray),
                (select coalesce(sum(blobs), 0)::int8 from asset.container_usage)
            """, [])[0]
        return (row.int64(0), row.int64(1))
    }

    /// Returns the place from which the walk over the rows continues.
    package func walkedTo() async throws -> BlobID {
        BlobID(rawValue: try await query("select walked_to from asset.round", [])[0].int64(0))
    }

    /// Stores the result of a round.
    package func end(_ round: ReconciliationRound) async throws {
        _ = try await query(
            """
            update asset.round set ended_at = now(), files = $1, strays = $2, removed = $3, rows_checked = $4,
                missing = $5, revived = $6, walked_to = $7
            """,
            [
                round.files, round.strays, round.removed, round.rowsChecked, round.missing, round.revived,
                round.walkedTo.rawValue,
            ].map { .int8($0) })
    }

    /// Returns the result of the last round, and whether a foreign key prevents records from using blobs that do not
    /// exist.
    package func lastRound() async throws -> (round: ReconciliationRound, usesAreGuarded: Bool) {
        let row = try await query(
            """
            select ended_at, files, strays, removed, rows_checked, missing, revived, walked_to,
                (select coalesce(bool_and(convalidated), false) from pg_constraint
                    where contype = 'f' and confrelid = 'asset.blob'::regclass
                        and conrelid <> 'asset.holder'::regclass)
            from asset.round
            """, [])[0]
        var round = ReconciliationRound()
        round.endedAt = row.millisecondsIfPresent(0)
        (round.files, round.strays, round.removed) = (row.int64(1), row.int64(2), row.int64(3))
        (round.rowsChecked, round.missing, round.revived) = (row.int64(4), row.int64(5), row.int64(6))
        round.walkedTo = BlobID(rawValue: row.int64(7))
        return (round, row.bool(8))
    }
}
