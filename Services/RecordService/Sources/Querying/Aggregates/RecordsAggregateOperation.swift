internal import AMQPClient
internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `records.aggregate`, which CloudKit does not have: counts the records that a query finds, and aggregates their
/// fields, for all records together or for each group.
struct RecordsAggregateOperation: Sendable {
    /// The number of records that are evaluated in memory at a time if SQL alone cannot evaluate the query.
    private static let pageSize = 1_000

    let source: QuerySource

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try AggregateRecordsRequest(decoding: request.delivery.body)
        var query = try Query(body.query)
        query.sorts = []
        let context = try ZoneAccess.context(of: body.scope, for: request.context)
        return try await QueryAttempts(source: source, context: context).answer(query, body.scope) {
            try await answer(body, $0.plan, for: context)
        }
    }

    private func answer(_ body: AggregateRecordsRequest, _ plan: QueryPlan, for context: RequestContext) async throws
        -> Answer
    {
        let statement = try bind(body, plan, for: context)
        let rows = try await run(statement, plan)
        guard rows.count <= statement.maxGroups else {
            throw ServerError(
                .tooManyGroups, "There are more than \(statement.maxGroups) groups", field: "groupBy",
                limit: statement.maxGroups)
        }
        let bytes = rows.first?.int64(statement.bytesColumn) ?? 0
        guard bytes <= Int64(AggregateStatement.maxBytes) else {
            throw ServerError(
                .replyTooLarge,
                "The groups' values do not fit in a reply; request fewer groups or other values",
                field: "aggregates", limit: AggregateStatement.maxBytes, actual: Int(bytes))
        }
        let results = try rows.map { row in
            (
                group: try row.stringIfPresent(0).flatMap { try statement.group?.value($0) },
                values: try statement.aggregates.enumerated().map { index, aggregate in
                    try row.stringIfPresent(index + 1).flatMap { try aggregate.value($0) }
                }
            )
        }
        return Answer { writer in
            writer.key("results")
            writer.array(results) { writer, result in
                writer.object { writer in
                    if statement.group != nil { writer.fieldValue("group", result.group) }
                    writer.key("aggregates")
                    writer.array(zip(statement.aggregates, result.values)) { writer, item in
                        writer.object { writer in
                            writer.member("function", item.0.wire.function)
                            writer.member("fieldName", item.0.wire.fieldName)
                            writer.member("systemFieldName", item.0.wire.systemFieldName)
                            writer.fieldValue("value", item.1)
                        }
                    }
                }
            }
            if !plan.warnings.isEmpty { writer.member("warnings", plan.warnings) }
        }
    }

    private func bind(_ body: AggregateRecordsRequest, _ plan: QueryPlan, for context: RequestContext)
        throws(ServerError)
        -> AggregateStatement
    {
        let binder = plan.target.binder(for: context.user)
        let wanted = body.aggregates.isEmpty ? [AggregateRecordsRequest.Aggregate(function: "COUNT")] : body.aggregates
        guard wanted.count <= QueryLimits.maxSorts else {
            throw .tooMany("aggregates", limit: QueryLimits.maxSorts, actual: wanted.count)
        }
        var aggregates: [BoundAggregate] = []
        for aggregate in wanted { aggregates.append(try BoundAggregate(aggregate, of: plan.target, binder)) }
        var group: AggregateColumn?
        if let groupBy = body.groupBy {
            guard let key = try QueryKey(fieldName: groupBy.fieldName, systemFieldName: groupBy.systemFieldName) else {
                throw .missingKey("fieldName")
            }
            group = try AggregateColumn(binder.operand(key), of: plan.target, isGroup: true)
        }
        return AggregateStatement(aggregates: aggregates, group: group, maxGroups: source.limits.maxGroups)
    }

    private func run(_ statement: AggregateStatement, _ plan: QueryPlan) async throws -> PostgresResult {
        let runner = QueryRunner(source: source)
        if plan.isExact {
            let (cascading, rows) = try await runner.snapshot(plan, checksScan: plan.isScan) { statement.call($0) }
            // If a zone has pending deletions, the keys of the remaining records are determined first.
            if cascading.isEmpty { return rows }
        }
        let keys = try await found(plan, by: runner)
        return try await runner.snapshot(plan, checksScan: false) { statement.call($0, keys) }.result
    }

    /// Returns the keys of all records that a query finds.
    private func found(_ plan: QueryPlan, by runner: QueryRunner) async throws -> [RecordKey] {
        var keys: [RecordKey] = []
        var position: QueryPosition?
        var examined = 0
        repeat {
            let page = try await runner.page(plan, after: position, limit: Self.pageSize, keeping: \.key)
            guard !page.isCutShort else { throw QueryTimeout.tooExpensive }
            keys += page.found
            position = page.next
            examined += page.examined
            if position != nil, examined >= source.limits.maxScannedRecords {
                throw plan.scanTooLarge(limit: source.limits.maxScannedRecords)
            }
        } while position != nil
        return keys
    }
}

extension WireWriter {
    /// Writes a member whose value is a field value dictionary, or null if `value` is nil.
    fileprivate mutating func fieldValue(_ name: StaticString, _ value: FieldValue?) {
        key(name)
        guard let value, let type = value.type else { return null() }
        object { writer in
            writer.key("value")
            writer.bareValue(value)
            writer.member("type", type.wireName)
        }
    }
}
