internal import CloudKitQuery
internal import PostgresClient
internal import RecordStorage

/// The statement that reads a page of a query: records in order, after a position.
///
/// Each sort key has an index in which the zone precedes the key and the record's name follows it. A page can therefore
/// begin at the exact place in the index where the previous page ended. Several zones are read separately, each in
/// order, and then merged.
struct QueryStatement {
    /// The statement.
    let call: PostgresCall

    /// Creates the statement for `plan`.
    ///
    /// - Parameters:
    ///   - position: the place where the previous page ended.
    ///   - limit: the maximum number of records.
    ///   - sumsSizes: whether to read the fields of as many records as fit into ``RecordTable/maxBytesRead``. Adding up
    ///     the sizes makes reading a page of 100 records about 25% slower. If false, each record gets an equal share of
    ///     that size, and the fields of larger records are left out.
    init(_ plan: QueryPlan, after position: QueryPosition?, limit: Int, sumsSizes: Bool = false) {
        var writer = ConditionWriter(plan.target, ready: plan.ready, builder: SQLBuilder())
        let isOfOneZone = plan.target.zones.count == 1
        let zones =
            isOfOneZone
            ? writer.builder.bind(plan.target.zone)
            : writer.builder.bind(.int8Array(plan.target.rows))
        let condition = writer.condition(plan.predicate)
        let columns = plan.sorts.map { sort in SortColumn(sort, of: plan.target) { writer.bind($0) } }
        var conditions = ["\(FieldExpression.records(of: plan.target.type.id))", condition.sql]
        if let creator = plan.target.creator { conditions.append("created_by = \(writer.builder.bind(creator))") }
        var page = Page(
            target: plan.target, zone: isOfOneZone ? zones : "z.id", conditions: conditions, columns: columns,
            isOfOneZone: isOfOneZone, isGathered: plan.isGathered, limit: limit)
        let inner = page.sql(after: position, &writer.builder)
        let source = isOfOneZone ? inner : page.merged(inner, zones: zones)
        let keys = columns.indices.filter { columns[$0].isTold }.map { ", (r.k\($0))::text" }.joined()
        let share = RecordTable.maxBytesRead / (sumsSizes ? 1 : max(1, limit))
        let maxBytes = writer.builder.bind(.int8(Int64(share)))
        let (counted, rows) =
            sumsSizes
            ? (
                "running",
                "(select p.*, sum(p.size) over (rows unbounded preceding) - p.size as running from (\(source)) p)"
            )
            : ("size", "(\(source))")
        call = writer.builder.call(
            """
            select \(RecordTable.columns), case when r.\(counted) <= \(maxBytes) then r.fields end,
                r.\(counted) > \(maxBytes)\(keys)
            from \(rows) r
            """)
    }

    /// The records of one zone, in order.
    private struct Page {
        let target: QueryTarget
        let zone: String
        let conditions: [String]
        let columns: [SortColumn]
        let isOfOneZone: Bool
        let isGathered: Bool
        let limit: Int

        /// The direction in which ties are ordered by name. It is the same as that of the last sort, so that one index
        /// can be used in both directions.
        private var nameDirection: String { columns.last?.direction ?? "asc" }

        /// Returns SQL that reads two parts: first the records that have the first key, and then the records that lack
        /// it. With a single part, `nulls last` would prevent a descending sort from walking the index.
        mutating func sql(after position: QueryPosition?, _ builder: inout SQLBuilder) -> String {
            let after = position.map { bind($0, &builder) }
            guard let first = columns.first, !first.isNeverNull else {
                return part(
                    columns, conditions + (after.map { [follows($0, columns, hasFirst: true)] } ?? []), &builder)
            }
            let rest = Array(columns.dropFirst())
            let without = conditions + ["\(first.sql) is null"]
            if let after, after.keys[0] == nil {
                return part(
                    columns, without + [follows(after.dropping, rest, hasFirst: false)], sorted: rest, &builder)
            }
            let with =
                conditions + ["\(first.sql) is not null"] + (after.map { [follows($0, columns, hasFirst: true)] } ?? [])
            let (present, absent) = (part(columns, with, &builder), part(columns, without, sorted: rest, &builder))
            return """
                select * from ((\(present)) union all (\(absent))) s
                limit \(limit)
                """
        }

        private func part(
            _ columns: [SortColumn], _ conditions: [String], sorted: [SortColumn]? = nil, _ builder: inout SQLBuilder
        ) -> String {
            let keys = columns.enumerated().filter { !isOfOneZone || $1.isTold }
                .map { ", \($1.sql) as k\($0)" }.joined()
            var order = (sorted ?? columns).enumerated().map { index, column in
                // The first key is never null here.
                index == 0 && sorted == nil ? "\(column.sql) \(column.direction)" : column.order(column.sql)
            }
            order.append("name \(nameDirection)")
            let found = target.records(in: zone, where: conditions, &builder)
            // `offset 0` prevents PostgreSQL from walking the index of the sort to find the records.
            let source = isGathered ? "(select r.* from \(found) offset 0) r" : found
            return """
                select r.*\(keys) from \(source)
                order by \(order.joined(separator: ", ")) limit \(limit)
                """
        }

        /// Returns SQL that runs `inner` in several zones and merges the records by their keys.
        func merged(_ inner: String, zones: String) -> String {
            let order = columns.indices.map { columns[$0].order("v.k\($0)") }
            return """
                select v.* from unnest(\(zones)) as z(id) cross join lateral (\(inner)) v
                order by \((order + ["v.name \(nameDirection)", "v.zone \(nameDirection)"]).joined(separator: ", "))
                limit \(limit)
                """
        }

        /// A position whose parts are bound to parameters.
        private struct Bound {
            /// The keys; nil for a field that the record at the position lacks.
            var keys: [String?]
            let name: String
            let zone: String

            var dropping: Bound {
                var bound = self
                bound.keys.removeFirst()
                return bound
            }
        }

        private func bind(_ position: QueryPosition, _ builder: inout SQLBuilder) -> Bound {
            let keys = zip(columns, position.keys).map { column, key in
                key.map { builder.bind($0) + (column.cast == "text" ? "" : "::\(column.cast)") }
            }
            return Bound(
                keys: keys, name: builder.bind(position.name),
                zone: isOfOneZone ? "" : builder.bind(.int8(position.zone)) + "::int8")
        }

        /// Returns the condition for the records that come after a position.
        ///
        /// - Parameter hasFirst: whether all records have a value in the first of `columns`. If false, the records
        ///   without a value follow too.
        private func follows(_ position: Bound, _ columns: [SortColumn], hasFirst: Bool) -> String {
            let hasFirst = hasFirst || columns.first?.isNeverNull == true
            let sign = nameDirection == "asc" ? ">" : "<"
            let tie =
                isOfOneZone
                ? "name \(sign) \(position.name)" : "(name, zone) \(sign) (\(position.name), \(position.zone))"
            // For a single key, a row comparison suffices, and it can use an index.
            if hasFirst, columns.count == 1, let key = position.keys[0] {
                let row = isOfOneZone ? "name" : "name, zone"
                let values = isOfOneZone ? position.name : "\(position.name), \(position.zone)"
                return "(\(columns[0].sql), \(row)) \(sign) (\(key), \(values))"
            }
            var follows = tie
            for (column, key) in zip(columns, position.keys).reversed() {
                guard let key else {
                    follows = "(\(column.sql) is null and \(follows))"
                    continue
                }
                let beyond = "\(column.sql) \(column.ascending ? ">" : "<") \(key)"
                let nulls = column.isNeverNull ? "" : " or \(column.sql) is null"
                follows = "(\(beyond)\(nulls) or (\(column.sql) = \(key) and \(follows)))"
            }
            // A condition on the first of several keys reduces the part of the index that is read.
            if hasFirst, let first = columns.first, let key = position.keys[0] {
                follows = "\(first.sql) \(first.ascending ? ">=" : "<=") \(key) and \(follows)"
            }
            return follows
        }
    }
}
