internal import AMQPClient
internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `records.explain`, which CloudKit does not have: reads the first page of a query, and reports which indexes the
/// query used, how many rows it read and how long it took. The records themselves are not returned.
struct RecordsExplainOperation: Sendable {
    let source: QuerySource

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try QueryRecordsRequest(decoding: request.delivery.body)
        let query = try Query(body.query)
        let limit = min(max(1, body.resultsLimit ?? source.limits.defaultResults), source.limits.maxResults)
        let context = try ZoneAccess.context(of: body.scope, for: request.context)
        return try await QueryAttempts(source: source, context: context).answer(query, body.scope) { attempt in
            try await explain(attempt.plan, limit: limit)
        }
    }

    private func explain(_ plan: QueryPlan, limit: Int) async throws -> Answer {
        // The number of rows read would reveal the existence of records that the user is not allowed to see.
        let denial = ServerError.accessDenied(
            "Only users who may read all records of type '\(plan.target.type.name)' may explain queries for them")
        guard plan.target.creator == nil else { throw denial }
        var sql = ""
        let result = try await QueryRunner(source: source).snapshot(plan, checksScan: plan.isScan) { plan in
            // The same is true of a large share: the indexes of the zone contain records that are not in the share.
            if case .large = plan.target.visibility { throw denial }
            // The same is true of records that are leaving shares.
            if plan.target.moves == .leaving { throw denial }
            let statement = QueryStatement(plan, after: nil, limit: limit + 1).call
            sql = statement.statement.sql
            return PostgresCall(
                PostgresStatement("explain (analyze, format json) \(sql)", isPrepared: false), statement.parameters)
        }.result
        let ran = StatementPlan(result.first?.jsonbIfPresent(0) ?? [])
        let indexes = try await describe(ran.indexes, plan.target)
        return Answer { writer in
            writer.member("plan", Self.words(plan, ran, indexes.map(\.words)))
            writer.key("indexes")
            writer.array(indexes) { writer, index in
                writer.object { writer in
                    writer.member("name", index.name)
                    writer.member("field", index.field)
                    writer.member("kind", index.kind)
                }
            }
            writer.member("rowsRead", ran.rowsRead)
            writer.member("rowsReturned", min(ran.rows, limit))
            writer.member("milliseconds", ran.milliseconds)
            writer.member("decidedInMemory", !plan.isExact)
            writer.member("statement", sql)
            if !plan.warnings.isEmpty { writer.member("warnings", plan.warnings) }
        }
    }

    /// An index that the statement used.
    private struct UsedIndex {
        let name: String
        var field: String?
        var kind: String?
        let words: String
    }

    private func describe(_ names: [String], _ target: QueryTarget) async throws -> [UsedIndex] {
        let results = try await source.pool.withConnection { connection in
            try await connection.pipeline([IndexTable.all(target.environment)])
        }
        let known = IndexTable(target.environment).named(results[0])
        return names.map { name in
            guard let index = known[name] else {
                return UsedIndex(name: name, words: "the table's own index \(name)")
            }
            let words = FieldIndex.Method(rawValue: index.method)?.words ?? index.method
            return UsedIndex(
                name: name, field: index.field, kind: index.method, words: "the \(words) of '\(index.field)'")
        }
    }

    private static func words(_ plan: QueryPlan, _ ran: StatementPlan, _ indexes: [String]) -> String {
        let place = plan.target.zones.count == 1 ? "one zone" : "\(plan.target.zones.count) zones"
        var sentences = [
            "Records of type '\(plan.target.type.name)' in \(place) were read with "
                + (indexes.isEmpty ? "a table scan" : indexes.joined(separator: " and "))
                + ": \(ran.rowsRead) rows."
        ]
        let sorted = ran.steps.filter { $0.kind.hasSuffix("Sort") }.reduce(0) { $0 + $1.rows }
        if sorted > 0 { sentences.append("The matching records were sorted.") }
        if !plan.isExact { sentences.append("Their values were evaluated again in memory.") }
        if plan.isScan { sentences.append("No index limits the work, so the scan limit applies.") }
        sentences.append("It took \(ran.milliseconds) ms.")
        return sentences.joined(separator: " ")
    }
}

extension FieldIndex.Method {
    /// The name of the method in `records.explain`.
    fileprivate var words: String {
        switch self {
        case .value: "value index"
        case .elements: "element index"
        case .place: "location index"
        case .words: "word index"
        case .substring: "trigram index"
        }
    }
}
