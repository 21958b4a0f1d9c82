import CloudKitModel
import CloudKitQuery
import CloudKitWire
import CommandLineSession

/// The aggregates of a `records.aggregate` request, and its answer as a table.
struct AggregateTable {
    /// The aggregates. Their columns come after the column for the number of records.
    let numbers: [(function: String, key: QueryKey)]
    /// The field by which records are grouped.
    let group: QueryKey?

    /// Returns the request.
    func request(_ query: WireQuery, _ scope: QueryScope) -> AggregateRecordsRequest {
        let numbers = numbers.map {
            AggregateRecordsRequest.Aggregate(
                function: $0.function, fieldName: $0.key.fieldName, systemFieldName: $0.key.systemFieldName)
        }
        return AggregateRecordsRequest(
            query: query, scope: scope,
            aggregates: [AggregateRecordsRequest.Aggregate(function: "COUNT")] + numbers,
            groupBy: group.map { WireSort(fieldName: $0.fieldName, systemFieldName: $0.systemFieldName) })
    }

    /// Returns the titles of the columns, followed by one line for each result, or only the number of records if there
    /// are no other columns.
    func lines(_ answer: JSONValue) -> [String] {
        let results = answer["results"]?.array ?? []
        let rows = results.map { result in
            (group == nil ? [] : [Self.text(result["group"])])
                + (result["aggregates"]?.array ?? []).map { Self.text($0["value"]) }
        }
        guard group != nil || !numbers.isEmpty else { return rows.first ?? ["0"] }
        var table = TextTable()
        table.add(
            [group?.predicateName].compactMap { $0 } + ["COUNT"]
                + numbers.map { "\($0.function) \($0.key.predicateName)" })
        for row in rows { table.add(row) }
        return table.lines
    }

    /// Returns the text of a field's value; `-` if there is none.
    private static func text(_ value: JSONValue?) -> String {
        guard let value, !value.isNull else { return "-" }
        return RecordPrinter.describe(value["value"] ?? .null, type: value["type"]?.string)
    }
}
