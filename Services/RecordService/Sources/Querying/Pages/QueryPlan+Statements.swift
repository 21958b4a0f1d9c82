internal import CloudKitModel
internal import CloudKitQuery
internal import PostgresClient
internal import RecordStorage

extension QueryPlan {
    func matches(
        _ record: StoredRecord, in zone: ZoneRow, stoppingWhen isOver: @escaping () -> Bool
    ) throws(MatchStopped) -> Bool {
        let name = target.zones.first { $0.row == zone }?.name.rawValue ?? ""
        return try predicate.matches(StoredQueryRecord(record: record, zoneName: name), stoppingWhen: isOver)
    }

    /// Reads the version of the schema and, in one row for each existing zone, whether the zone has pending deletions.
    /// Also determines how PostgreSQL plans the next statement. ``QuerySnapshotState`` decodes the rows.
    var state: PostgresCall {
        PostgresCall(
            """
            select e.schema_version, set_config('plan_cache_mode', $3, true), z.id, z.is_cascading, z.share_moves
            from record.environment e left join record.zone z on z.id = any($2) and z.deleted_at is null
            where e.id = $1
            """,
            [
                .int4(target.environment.rawValue), .int8Array(target.rows),
                .text(isPlannedOnce ? "force_generic_plan" : "force_custom_plan"),
            ])
    }

    /// Counts the records that a scan would have to read. The count stops at one above the limit.
    func scanned(limit: Int) -> PostgresCall {
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

/// The state of a query's zones and schema in the snapshot of its statement.
struct QuerySnapshotState {
    /// The version of the schema; nil if the environment no longer exists.
    let version: Int64?
    /// The number of zones that exist.
    let zoneCount: Int
    /// The zones with pending deletions.
    let cascading: [ZoneRow]
    /// The moves in the zone of a participant's query.
    let moves: ShareMoves

    /// Decodes the rows of ``QueryPlan/state``.
    init(_ rows: PostgresResult) {
        version = rows.first?.int64(0)
        let zones = rows.filter { !$0.isNull(2) }
        zoneCount = zones.count
        moves = zones.first.flatMap { ShareMoves(rawValue: $0.int16(4)) } ?? .none
        cascading = zones.filter { $0.bool(3) }.map { ZoneRow($0.int64(2)) }
    }
}
