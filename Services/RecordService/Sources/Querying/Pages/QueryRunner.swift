internal import CloudKitModel
internal import CloudKitQuery
internal import PostgresClient
internal import RecordStorage

/// Runs the statements of a query, bounded in time by the pool's statement timeout and in rows by the plan.
struct QueryRunner: Sendable {
    /// So many candidates are read at once where SQL alone cannot decide.
    private static let minCandidates = 500

    let source: QuerySource
    /// The time at which the work of the request has to end.
    let deadline: ContinuousClock.Instant

    /// Creates a runner. Without `deadline` it has ``QuerySource/maxTime`` from now on.
    init(source: QuerySource, deadline: ContinuousClock.Instant? = nil) {
        self.source = source
        self.deadline = deadline ?? ContinuousClock.now + source.maxTime
    }

    /// Whether its time is over.
    ///
    /// - Throws: `CancellationError` when nobody waits for it any more, which is no fault of the query.
    private func isOver() throws -> Bool {
        try Task.checkCancellation()
        return deadline < .now
    }

    /// A record that a query finds.
    enum Found {
        /// SQL alone has decided of it.
        case row(RecordRow)
        /// Memory has. (Its row would keep all that were read with it, of which it may be the only one found.)
        case record(StoredRecord, zone: ZoneRow)

        /// The record's key.
        var key: RecordKey {
            switch self {
            case .row(let row): row.key
            case .record(let record, let zone): RecordKey(zone: zone, name: record.name)
            }
        }

        /// About how many bytes its fields take in an answer.
        var fieldBytes: Int {
            switch self {
            case .row(let row): row.fieldBytes
            case .record(let record, _): record.size
            }
        }

        /// The record.
        ///
        /// - Throws: as ``RecordRow/record()``.
        func record() throws -> StoredRecord {
            switch self {
            case .row(let row): try row.record()
            case .record(let record, _): record
            }
        }
    }

    /// A page of a query.
    struct Page<Kept> {
        /// What is kept of the records.
        var found: [Kept] = []
        /// Where the next page begins; nil: there is none.
        var next: QueryPosition?
        /// The records that were looked at.
        var examined = 0
        /// Whether it ended since its time was over.
        var isCutShort = false
        /// The types of the records. Where SQL alone decides, they may not know a field that another instance has learnt
        /// since (``QueryRunner/schema(_:of:)``).
        var schema = SchemaSnapshot()
    }

    /// Why a query has to be planned anew.
    enum Stale: Error {
        /// A zone is gone, and perhaps there again.
        case zone
        /// The schema was changed.
        case schema
    }

    /// Reads a page of at most `limit` records after `position`, and keeps of each what `kept` makes of it.
    ///
    /// - Throws: `BAD_REQUEST` when the query would read or take too much, ``Stale``, `PostgresError`,
    ///   `CancellationError`.
    func page<Kept>(
        _ plan: QueryPlan, after position: QueryPosition?, limit: Int, keeping kept: (Found) -> Kept
    ) async throws -> Page<Kept> {
        var page = Page<Kept>()
        var last: Row?
        func reached() throws -> QueryPosition? { try last?.position(plan.sorts) ?? position }
        while true {
            // One more than asked for tells whether there are more.
            let wanted = plan.isExact ? limit + 1 : max(limit + 1, Self.minCandidates)
            let read = try await self.read(plan, after: try reached(), limit: wanted, isFirst: page.examined == 0)
            page.schema = read.schema
            for row in read.rows {
                if page.found.count == limit || row.row.isOmitted {
                    page.next = try reached()
                    return page
                }
                let isGone = !read.doomed.isEmpty && read.doomed.contains(row.row.key)
                var isFound = !isGone
                if let record = row.record {
                    // Others have their turn between any two records, and a page ends when its time is over.
                    await Task.yield()
                    page.isCutShort = try isOver()
                    // The first one has as much time as there is for all: what came before it was PostgreSQL's.
                    let end: ContinuousClock.Instant = page.examined == 0 ? .now + source.maxTime : deadline
                    do throws(MatchStopped) {
                        if isFound {
                            isFound = try plan.matches(
                                record, in: row.row.zone, stoppingWhen: { end < .now || Task.isCancelled })
                        }
                    } catch {
                        try Task.checkCancellation()
                        // The next page begins with it, unless it was the first of this one.
                        guard page.examined > 0 else { throw QueryTrouble.tooExpensive }
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
            // The work of one request is bounded; who wants more goes on from here.
            page.isCutShort = try isOver()
            if page.found.count == limit || page.isCutShort || page.examined >= source.limits.maxScannedRecords {
                page.next = try reached()
                return page
            }
        }
    }

    /// A row of the statement.
    fileprivate struct Row {
        let row: RecordRow
        /// What memory decides of; nil: SQL alone does.
        let record: StoredRecord?

        var found: Found { record.map { Found.record($0, zone: row.zone) } ?? .row(row) }

        /// - Throws: as ``RecordRow/record()``.
        func position(_ sorts: [BoundSort]) throws -> QueryPosition {
            let record = try record ?? row.record()
            // The sort keys that the statement tells (``BoundSort/isOwn``).
            var told = RecordTable.columnCount
            let keys = sorts.map { sort -> String? in
                guard !sort.isOwn else { return sort.key(of: record) }
                defer { told += 1 }
                return row.row.stringIfPresent(told)
            }
            return QueryPosition(keys: keys, name: record.name.rawValue, zone: row.zone.rawValue)
        }
    }

    private struct Read {
        let rows: [Row]
        /// Those that are about to go with a deletion: nobody sees half of a tree (``CascadeTable``).
        let doomed: Set<RecordKey>
        let schema: SchemaSnapshot
    }

    private func read(_ plan: QueryPlan, after position: QueryPosition?, limit: Int, isFirst: Bool) async throws -> Read
    {
        let environment = plan.target.environment
        var statement = QueryStatement(plan, after: position, limit: limit)
        var snapshot = try await self.snapshot(plan, statement.call, checksScan: plan.isScan && isFirst)
        if snapshot.result.contains(where: { RecordRow(row: $0).isOmitted }) {
            // Records this large are rare: then it is added up how many of them fit.
            statement = QueryStatement(plan, after: position, limit: limit, sumsSizes: true)
            snapshot = try await self.snapshot(plan, statement.call, checksScan: false)
        }
        let rows = try snapshot.result.map { row in
            let row = RecordRow(row: row)
            return Row(row: row, record: plan.isExact ? nil : try row.record())
        }
        let schema = try await schema(plan, of: rows.compactMap(\.record))
        var doomed: Set<RecordKey> = []
        for zone in snapshot.cascading {
            doomed.formUnion(try await self.doomed(among: rows, in: zone, environment))
        }
        return Read(rows: rows, doomed: doomed, schema: schema)
    }

    /// The schema by which a plan was made, with the types and fields of `records`.
    ///
    /// - Throws: ``Stale`` when it is another by now, `PostgresError`.
    func schema(_ plan: QueryPlan, of records: [StoredRecord]) async throws -> SchemaSnapshot {
        guard
            let schema = try await source.schema.snapshot(
                of: plan.target.environment, version: plan.version, records: records),
            // Another instance may have learnt a field, whose words count.
            schema.type(plan.target.type.id)?.fields.count == plan.target.type.fields.count
        else { throw Stale.schema }
        return schema
    }

    /// What one snapshot of the database has: the statement's rows, and the zones in which records are about to go with
    /// a deletion.
    ///
    /// - Throws: ``Stale`` when the zones or the schema are others than those of the plan, `BAD_REQUEST` when a scan would
    ///   read too much or the statement took too long, `PostgresError`.
    func snapshot(_ plan: QueryPlan, _ statement: PostgresCall, checksScan: Bool) async throws
        -> (cascading: [ZoneRow], result: PostgresResult)
    {
        let limit = source.limits.maxScannedRecords
        let (state, result) = try await QueryTrouble.naming {
            try await source.pool.withConnection { connection in
                guard checksScan else {
                    // One transaction, see ``QuerySource/sessionParameters``.
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
        guard state.first?.int64(0) == plan.version else { throw Stale.schema }
        let zones = state.filter { !$0.isNull(2) }
        guard zones.count == plan.target.zones.count else { throw Stale.zone }
        return (zones.filter { $0.bool(3) }.map { ZoneRow($0.int64(2)) }, result)
    }

    private func doomed(among rows: [Row], in zone: ZoneRow, _ environment: EnvironmentRow) async throws
        -> Set<RecordKey>
    {
        let names = rows.lazy.map(\.row.key).filter { $0.zone == zone }.map(\.name)
        return try await QueryTrouble.naming {
            try await source.pool.withConnection { connection in
                Set(
                    try await connection.pipeline([CascadeTable(environment).doomed(Array(names), in: zone)])[0]
                        .map { RecordKey(zone: zone, name: $0.recordName(0)) })
            }
        }
    }
}

extension QueryPlan {
    fileprivate func matches(
        _ record: StoredRecord, in zone: ZoneRow, stoppingWhen isOver: @escaping () -> Bool
    ) throws(MatchStopped) -> Bool {
        let name = target.zones.first { $0.row == zone }?.name.rawValue ?? ""
        return try predicate.matches(StoredQueryRecord(record: record, zoneName: name), stoppingWhen: isOver)
    }

    /// Reads the schema's version and, in a row each, which of the zones are there, and whether they have a deletion under
    /// way; and settles how the statement behind it is planned.
    fileprivate var state: PostgresCall {
        PostgresCall(
            """
            select e.schema_version, set_config('plan_cache_mode', $3, true), z.id, z.is_cascading
            from record.environment e left join record.zone z on z.id = any($2) and z.deleted_at is null
            where e.id = $1
            """,
            [
                .int4(target.environment.rawValue), .int8Array(target.rows),
                .text(isPlannedOnce ? "force_generic_plan" : "force_custom_plan"),
            ])
    }

    /// How many records a scan would have to read, up to one more than it may.
    fileprivate func scanned(limit: Int) -> PostgresCall {
        let ofType = driver == .zones ? "" : " and \(FieldExpression.records(of: target.type.id))"
        return PostgresCall(
            PostgresStatement(
                """
                select count(*) from (select from \(target.environment.recordTable)
                    where environment = \(target.environment.rawValue) and zone = any($1)\(ofType) limit $2) s
                """), [.int8Array(target.rows), .int8(Int64(limit) + 1)])
    }

    func scanTooLarge(limit: Int) -> ServerError {
        ServerError(
            .scanTooLarge,
            (["No index serves the query, which would read more than \(limit) records"] + warnings)
                .joined(separator: ". "),
            field: "filterBy", recordType: target.type.name, limit: limit)
    }
}
