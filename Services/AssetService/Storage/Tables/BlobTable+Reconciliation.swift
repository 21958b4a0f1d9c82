internal import PostgresClient

/// What a round of the ``Reconciler`` found.
struct StockRound: Sendable, Equatable {
    /// When it ended, milliseconds since 1970; nil: there was none yet.
    var endedAt: Int64?
    /// Files that are old enough to be anybody's.
    var files: Int64 = 0
    /// Those without a row.
    var strays: Int64 = 0
    /// Those of them that were removed.
    var removed: Int64 = 0
    /// Rows whose files were looked for.
    var rowsChecked: Int64 = 0
    /// Those whose files were missing or had another length.
    var missing: Int64 = 0
    /// Condemned blobs that records use.
    var revived: Int64 = 0
    /// Where the walk over the rows goes on.
    var walkedTo = BlobID(rawValue: 0)
}

/// A file without a row.
struct StrayFile: Sendable, Equatable {
    var key: String
    /// Milliseconds since 1970.
    var firstSeen: Int64
    var lastSeen: Int64
}

extension BlobTable {
    /// Notes files without a row as seen now.
    ///
    /// - Returns: those that were seen before, `delay` ago or longer.
    func noteStrays(_ keys: [BlobKey], confirmedAfter delay: Duration) async throws -> [BlobKey] {
        try await query(
            """
            insert into asset.stray as s (key) select k from unnest($1::text[]) as n(k) order by k
            on conflict (key) do update set last_seen = now()
            returning s.key, s.first_seen <= now() - make_interval(secs => $2)
            """, [.textArray(keys.map(\.rawValue)), .float8(delay / .seconds(1))]
        ).compactMap { $0.bool(1) ? BlobKey($0.string(0)) : nil }
    }

    /// Forgets a file that is removed.
    func forgetStray(_ key: BlobKey) async throws {
        _ = try await query("delete from asset.stray where key = $1", [.text(key.rawValue)])
    }

    /// Forgets files that a whole walk, begun at `time` (milliseconds since 1970), did not see: they are gone, or have a
    /// row.
    func forgetStrays(notSeenSince time: Int64) async throws {
        _ = try await query(
            "delete from asset.stray where last_seen < $1", [.timestamptz(millisecondsSince1970: time)])
    }

    /// The files without a row that are known, the longest known first; and how many there are.
    func strays(limit: Int) async throws -> (files: [StrayFile], total: Int64) {
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

    /// Blobs by id from `last` on.
    func page(after last: BlobID, limit: Int) async throws -> [StoredBlob] {
        try await query(
            PostgresStatement("select \(Self.columns) from asset.blob b where b.id > $1 order by b.id limit $2"),
            [.int8(last.rawValue), .int4(Int32(limit))]
        ).map(Self.blob)
    }

    /// Condemned blobs by id from `last` on.
    func condemned(after last: BlobID, limit: Int) async throws -> [(id: BlobID, container: String)] {
        try await query(
            "select id, container from asset.blob where id > $1 and state = 'condemned' order by id limit $2",
            [.int8(last.rawValue), .int4(Int32(limit))]
        ).map { (BlobID(rawValue: $0.int64(0)), $0.string(1)) }
    }

    /// Brings condemned blobs back to life.
    ///
    /// - Returns: how many were condemned.
    func revive(_ blobs: [BlobID]) async throws -> Int {
        Int(
            try await query(
                """
                update asset.blob set state = 'live', condemned_at = null, due = null
                where id = any($1) and state = 'condemned'
                """, [.int8Array(blobs.map(\.rawValue))]
            ).affectedRows)
    }

    /// A walk over the blobs' ids, some of them a round.
    enum Walk: String {
        /// Blobs that may be unused.
        case candidates = "candidates_to"
        /// Condemned blobs.
        case condemned = "condemned_to"
    }

    /// Where a walk goes on.
    func place(of walk: Walk) async throws -> BlobID {
        let statement = PostgresStatement("select \(walk.rawValue) from asset.round")
        return BlobID(rawValue: try await query(statement, [])[0].int64(0))
    }

    /// Keeps where a walk goes on.
    func keep(_ place: BlobID, as walk: Walk) async throws {
        _ = try await query(PostgresStatement("update asset.round set \(walk.rawValue) = $1"), [.int8(place.rawValue)])
    }

    /// Where the walk over the files goes on, nil at its beginning; and when it began, milliseconds since 1970.
    func fileWalk() async throws -> (place: String?, began: Int64) {
        let row = try await query("select files_to, files_began from asset.round", [])[0]
        return (row.stringIfPresent(0), row.milliseconds(1))
    }

    /// Keeps where the walk over the files goes on; nil: another one begins now.
    func keepFileWalk(_ place: String?) async throws {
        _ = try await query(
            """
            update asset.round set files_to = $1, files_began = case when $1 is null then now() else files_began end
            """, [.text(place)])
    }

    /// How many files without a row are known, and how many blobs there are.
    func strayShare() async throws -> (strays: Int64, blobs: Int64) {
        let row = try await query(
            """
            select (select count(*) from asset.stray),
                (select coalesce(sum(blobs), 0)::int8 from asset.container_usage)
            """, [])[0]
        return (row.int64(0), row.int64(1))
    }

    /// Where the walk over the rows goes on.
    func walkedTo() async throws -> BlobID {
        BlobID(rawValue: try await query("select walked_to from asset.round", [])[0].int64(0))
    }

    /// Keeps what a round found.
    func end(_ round: StockRound) async throws {
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

    /// What the last round found, and whether a foreign key keeps records from using what is not there.
    func lastRound() async throws -> (round: StockRound, usesAreGuarded: Bool) {
        let row = try await query(
            """
            select ended_at, files, strays, removed, rows_checked, missing, revived, walked_to,
                (select coalesce(bool_and(convalidated), false) from pg_constraint
                    where contype = 'f' and confrelid = 'asset.blob'::regclass
                        and conrelid <> 'asset.holder'::regclass)
            from asset.round
            """, [])[0]
        return (
            StockRound(
                endedAt: row.millisecondsIfPresent(0), files: row.int64(1), strays: row.int64(2),
                removed: row.int64(3), rowsChecked: row.int64(4), missing: row.int64(5), revived: row.int64(6),
                walkedTo: BlobID(rawValue: row.int64(7))),
            row.bool(8)
        )
    }
}
