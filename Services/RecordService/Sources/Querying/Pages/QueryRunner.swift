internal import CloudKitModel
internal import CloudKitQuery
internal import PostgresClient
internal import RecordStorage

/// Runs the statements of a query, bounded in time by the pool's statement timeout and in rows by the plan.
struct QueryRunner: Sendable {
    /// The minimum number of candidates that are read at a time if SQL alone cannot evaluate the query.
    private static let minCandidates = 500

    let source: QuerySource
    /// The time at which the work of the request must end.
    let deadline: ContinuousClock.Instant

    /// Creates a runner. The default deadline is ``QuerySource/maxTime`` from now.
    init(source: QuerySource, deadline: ContinuousClock.Instant? = nil) {
        self.source = source
        self.deadline = deadline ?? ContinuousClock.now + source.maxTime
    }

    /// Whether the request's time is up.
    ///
    /// - Throws: `CancellationError` when the caller is no longer waiting, which is not an error in the query.
    private func isOver() throws -> Bool {
        try Task.checkCancellation()
        return deadline < .now
    }

    /// Reads a page of at most `limit` records after `position`, and keeps the result of `kept` for each record found.
    ///
    /// - Throws: `BAD_REQUEST` when the query would read too much or take too long, ``Stale``, `PostgresError`, or
    ///   `CancellationError`.
    func page<Kept>(
        _ plan: QueryPlan, after position: QueryPosition?, limit: Int, keeping kept: (Found) -> Kept
    ) async throws -> Page<Kept> {
        var page = Page<Kept>()
        var last: Row?
        func reached() throws -> QueryPosition? { try last?.position(plan) ?? position }
        while true {
            // Reading one record beyond the limit shows whether there are more.
            let wanted = plan.isExact ? limit + 1 : max(limit + 1, Self.minCandidates)
            let read = try await self.read(plan, after: try reached(), limit: wanted, isFirst: page.examined == 0)
            page.schema = read.schema
            for row in read.rows {
                if page.found.count == limit || row.row.isOmitted {
                    page.next = try reached()
                    return page
                }
                let isGone = !read.pending.isEmpty && read.pending.contains(row.row.key)
                var isFound = !isGone
                if let record = row.record {
                    // Other tasks can run between any two records, and a page ends when the time is up.
                    await Task.yield()
                    page.isCutShort = try isOver()
                    // The first record is given the full time, because PostgreSQL might already have used most of the
                    // request's time.
                    let end: ContinuousClock.Instant = page.examined == 0 ? .now + source.maxTime : deadline
                    do throws(MatchStopped) {
                        if isFound {
                            isFound = try plan.matches(
                                record, in: row.row.zone, stoppingWhen: { end < .now || Task.isCancelled })
                        }
                    } catch {
                        try Task.checkCancellation()
                        // The next page begins with this record, unless it is the first one of this page.
                        guard page.examined > 0 else { throw QueryTimeout.tooExpensive }
                        page.isCutShort = true
                        page.next = try reached()
                        return page
                    }
                }
                last = row
                page.examined += 1
                if isFound { page.found.append(kept(row.found)) }
                if page.isCutShort {
                    page.next = try reached()
                    return page
                }
            }
            guard read.rows.count == wanted else { return page }
            // The work of one request is bounded. The next request continues from here.
            page.isCutShort = try isOver()
            if page.found.count == limit || page.isCutShort || page.examined >= source.limits.maxScannedRecords {
                page.next = try reached()
                return page
            }
        }
    }

    /// A row of the statement.
    private struct Row {
        let row: RecordRow
        /// The record, if it is evaluated in memory; nil if SQL alone evaluates the query.
        let record: StoredRecord?

        var found: Found { record.map { Found.record($0, zone: row.zone) } ?? .row(row) }

        /// - Throws: the same errors as ``RecordRow/record()``.
        func position(_ plan: QueryPlan) throws -> QueryPosition {
            let record = try record ?? plan.target.record(row)
            // The statement returns the keys that cannot be computed from the record (``BoundSort/isOwn``) after the
            // other columns.
            var column = RecordTable.columnCount
            let keys = plan.sorts.map { sort -> String? in
                guard !sort.isOwn else { return sort.key(of: record) }
                defer { column += 1 }
                return row.row.stringIfPresent(column)
            }
            return QueryPosition(keys: keys, name: record.name.rawValue, zone: row.zone.rawValue)
        }
    }

    private struct Read {
        let rows: [Row]
        /// The records that are pending deletion. They are left out, so that no reader sees a partly deleted tree of
        /// records (``CascadeTable``).
        let pending: Set<RecordKey>
        let schema: SchemaSnapshot
    }

    private func read(_ plan: QueryPlan, after position: QueryPosition?, limit: Int, isFirst: Bool) async throws -> Read
    {
        let environment = plan.target.environment
        var snapshot = try await self.snapshot(plan, checksScan: plan.isScan && isFirst) {
            QueryStatement($0, after: position, limit: limit).call
        }
        if snapshot.result.contains(where: { RecordRow(row: $0).isOmitted }) {
            // Records this large are rare. The statement adds up sizes only if there are such records, to determine how
            // many records fit.
            snapshot = try await self.snapshot(plan, checksScan: false) {
                QueryStatement($0, after: position, limit: limit, sumsSizes: true).call
            }
        }
        let rows = try snapshot.result.map { row in
            let row = RecordRow(row: row)
            return Row(row: row, record: plan.isExact ? nil : try plan.target.record(row))
        }
        let schema = try await schema(plan, of: rows.compactMap(\.record))
        var pending: Set<RecordKey> = []
        for zone in snapshot.cascading {
            pending.formUnion(try await self.pending(among: rows, in: zone, environment))
        }
        return Read(rows: rows, pending: pending, schema: schema)
    }

    /// Returns the schema with which a plan was made. It contains the types and fields of `records`.
    ///
    /// - Throws: ``Stale`` when the schema has changed, or `PostgresError`.
    func schema(_ plan: QueryPlan, of records: [StoredRecord]) async throws -> SchemaSnapshot {
        guard
            let schema = try await source.schema.snapshot(
                of: plan.target.environment, version: plan.version, records: records),
            // Another instance might have added a field to the schema, and a search for words might include that field.
            schema.type(plan.target.type.id)?.fields.count == plan.target.type.fields.count
        else { throw Stale.schema }
        return schema
    }

    /// Reads the rows of a statement, and the zones with pending deletions, in one snapshot of the database.
    ///
    /// - Parameters:
    ///   - checksScan: whether to first count the records that a scan would read.
    ///   - statement: returns the statement for the plan, to which the records that the user can see have been added.
    /// - Throws: ``Stale`` when the zones or the schema differ from those of the plan, `BAD_REQUEST` when a scan would
    ///   read too much or the statement took too long, or `PostgresError`.
    func snapshot(
        _ plan: QueryPlan, checksScan: Bool, _ statement: (QueryPlan) throws -> PostgresCall
    ) async throws -> (cascading: [ZoneRow], result: PostgresResult) {
        if let participant = plan.target.participant {
            return try await sharedSnapshot(plan, for: participant, checksScan: checksScan, statement)
        }
        let statement = try statement(plan)
        let limit = source.limits.maxScannedRecords
        let (state, result) = try await QueryTimeout.naming {
            try await source.pool.withConnection { connection in
                guard checksScan else {
                    // This is one transaction; see ``QuerySource/sessionParameters``.
                    let results = try await connection.pipeline([plan.state, statement])
                    return (results[0], results[1])
                }
                let first = try await connection.pipeline([
                    .begin(.repeatableRead.readOnly), plan.state, plan.scanned(limit: limit),
                ])
                let count = first[2].first?.int64(0) ?? 0
                guard count <= limit else {
                    _ = try await connection.pipeline([.commit])
                    throw plan.scanTooLarge(limit: limit)
                }
                let rest = try await connection.pipeline([statement, .commit])
                return (first[1], rest[0])
            }
        }
        return (try cascading(state, plan), result)
    }

    /// Returns the zones with pending deletions.
    ///
    /// - Throws: ``Stale``.
    func cascading(_ state: PostgresResult, _ plan: QueryPlan) throws -> [ZoneRow] {
        let found = QuerySnapshotState(state)
        guard found.version == plan.version else { throw Stale.schema }
        guard found.zoneCount == plan.target.zones.count else { throw Stale.zone }
        return found.cascading
    }

    private func pending(among rows: [Row], in zone: ZoneRow, _ environment: EnvironmentRow) async throws
        -> Set<RecordKey>
    {
        let names = rows.lazy.map(\.row.key).filter { $0.zone == zone }.map(\.name)
        return try await QueryTimeout.naming {
            try await source.pool.withConnection { connection in
                Set(
                    try await connection.pipeline([CascadeTable(environment).pending(Array(names), in: zone)])[0]
                        .map { RecordKey(zone: zone, name: $0.recordName(0)) })
            }
        }
    }
}
