internal import CloudKitQuery
internal import PostgresClient

/// The statement of an aggregate: one row for each group, the group's value first.
struct AggregateStatement {
    /// The aggregates, each a column after the group's.
    let aggregates: [BoundAggregate]
    /// What the groups are of.
    let group: AggregateColumn?
    /// The most groups that are told.
    let maxGroups: Int

    /// Over the records that SQL finds.
    func call(_ plan: QueryPlan) -> PostgresCall {
        var writer = ConditionWriter(plan.target, ready: plan.ready, builder: SQLBuilder())
        let zone =
            plan.target.zones.count == 1
            ? "zone = \(writer.builder.bind(plan.target.zone))"
            : "zone = any(\(writer.builder.bind(.int8Array(plan.target.rows))))"
        var conditions = [
            "environment = \(plan.target.environment.rawValue)", zone,
            FieldExpression.records(of: plan.target.type.id), writer.condition(plan.predicate).sql,
        ]
        if let creator = plan.target.creator { conditions.append("created_by = \(writer.builder.bind(creator))") }
        let source = "\(plan.target.environment.recordTable) where \(conditions.joined(separator: " and "))"
        return writer.builder.call(sql(source))
    }

    /// Over the records of those names, as far as they are still there.
    func call(_ plan: QueryPlan, _ keys: [RecordKey]) -> PostgresCall {
        var builder = SQLBuilder()
        let zones = builder.bind(.int8Array(keys.map(\.zone.rawValue)))
        let names = builder.bind(.names(keys.map(\.name)))
        let creator = plan.target.creator.map { " and created_by = \(builder.bind($0))" } ?? ""
        let source = """
            unnest(\(zones), \(names)) as k(of_zone, of_name) cross join lateral (
                select * from \(plan.target.environment.recordTable)
                where environment = \(plan.target.environment.rawValue) and zone = k.of_zone and name = k.of_name
                and \(FieldExpression.records(of: plan.target.type.id))\(creator) offset 0) r
            """
        return builder.call(sql(source))
    }

    private func sql(_ source: String) -> String {
        let columns = aggregates.map(\.sql)
        guard let group else { return "select null::text, \(columns.joined(separator: ", ")) from \(source)" }
        return """
            select (\(group.sql))::text, \(columns.joined(separator: ", ")) from \(source)
            group by \(group.sql) order by \(group.sql) nulls last limit \(maxGroups + 1)
            """
    }
}
