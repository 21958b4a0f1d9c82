internal import CloudKitQuery
internal import PostgresClient
internal import RecordStorage

/// The statement of an aggregation. It returns one row for each group, with the group's value in the first column.
struct AggregateStatement {
    /// The aggregates. Their columns follow the group's column.
    let aggregates: [BoundAggregate]
    /// The column by which records are grouped.
    let group: AggregateColumn?
    /// The maximum number of groups in an answer.
    let maxGroups: Int

    /// Returns the statement for all records that match the plan's SQL condition.
    func call(_ plan: QueryPlan) -> PostgresCall {
        var writer = ConditionWriter(plan.target, ready: plan.ready, builder: SQLBuilder())
        let zone =
            plan.target.zones.count == 1
            ? writer.builder.bind(plan.target.zone)
            : "any(\(writer.builder.bind(.int8Array(plan.target.rows))))"
        var conditions = [
            FieldExpression.records(of: plan.target.type.id), writer.condition(plan.predicate).sql,
        ]
        if let creator = plan.target.creator { conditions.append("created_by = \(writer.builder.bind(creator))") }
        let source = plan.target.records(in: zone, where: conditions, &writer.builder)
        return writer.builder.call(sql(source))
    }

    /// Returns the statement for the records with the given keys that still exist.
    func call(_ plan: QueryPlan, _ keys: [RecordKey]) -> PostgresCall {
        var builder = SQLBuilder()
        let zones = builder.bind(.int8Array(keys.map(\.zone.rawValue)))
        let names = builder.bind(.names(keys.map(\.name)))
        let creator = plan.target.creator.map { " and created_by = \(builder.bind($0))" } ?? ""
        let visible = plan.target.isVisible("m", &builder)
        let source = """
            unnest(\(zones), \(names)) as k(of_zone, of_name) cross join lateral (
                select * from \(plan.target.environment.recordTable) m
                where environment = \(plan.target.environment.rawValue) and zone = k.of_zone and name = k.of_name
                and \(FieldExpression.records(of: plan.target.type.id))\(creator)\(visible) offset 0) r
            """
        return builder.call(sql(source))
    }

    /// The maximum size of the values of all groups together, in bytes. If the values are larger, the rows are returned
    /// without them, because they would not fit in an answer.
    static let maxBytes = 8 << 20

    /// The index of the last column, which contains the size of the values of all groups together.
    var bytesColumn: Int { aggregates.count + 1 }

    private func sql(_ source: String) -> String {
        let columns = aggregates.map(\.sql)
        guard let group else { return "select null::text, \(columns.joined(separator: ", ")), 0::int8 from \(source)" }
        let names = (0...columns.count).map { "c\($0)" }
        let values = zip(["(\(group.sql))::text"] + columns, names).map { "\($0) as \($1)" }
        let bytes = names.map { "coalesce(octet_length(\($0)::text), 0)::int8" }.joined(separator: " + ")
        return """
            select \(names.map { "case when bytes <= \(Self.maxBytes) then \($0) end" }.joined(separator: ", ")), bytes
            from (select *, (sum(\(bytes)) over ())::int8 as bytes from (
                select \(values.joined(separator: ", ")), row_number() over (order by \(group.sql) nulls last) as place
                from \(source) group by \(group.sql) order by place limit \(maxGroups + 1)) g) g
            order by place
            """
    }
}
