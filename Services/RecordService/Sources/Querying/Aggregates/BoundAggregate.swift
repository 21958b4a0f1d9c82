internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitWire
internal import RecordStorage

/// An aggregate over the records of a query.
struct BoundAggregate {
    /// An aggregate function. The raw value is its name in requests.
    enum Function: String, CaseIterable {
        case count = "COUNT"
        case minimum = "MIN"
        case maximum = "MAX"
        case sum = "SUM"
        case average = "AVG"
    }

    let function: Function
    /// The aggregated field; nil if records are counted.
    let column: AggregateColumn?
    /// The aggregate as requested. The answer repeats it.
    let wire: AggregateRecordsRequest.Aggregate

    /// Binds an aggregate.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the field.
    init(
        _ wire: AggregateRecordsRequest.Aggregate, of target: QueryTarget, _ binder: PredicateBinder<RecordTypeSchema>
    ) throws(ServerError) {
        guard let function = Function(rawValue: wire.function) else {
            throw ServerError(.aggregateInvalid, "Unknown aggregate '\(wire.function)'", field: "function")
        }
        self.function = function
        self.wire = wire
        let key = try QueryKey(fieldName: wire.fieldName, systemFieldName: wire.systemFieldName)
        column = try key.map { key throws(ServerError) in try AggregateColumn(binder.operand(key), of: target) }
        guard function != .count else { return }
        guard let column else {
            throw ServerError(.aggregateInvalid, "The aggregate \(function.rawValue) needs a field", field: "fieldName")
        }
        let isNumber = column.type.base == .int64 || column.type.base == .double || column.type.base == .number
        let isOrdered = isNumber || column.type.base == .timestamp || column.type.base == .string
        guard function == .minimum || function == .maximum ? isOrdered : isNumber else {
            throw ServerError(
                .aggregateInvalid,
                "\(function.rawValue) cannot be applied to '\(column.name)' of type \(column.type)",
                field: column.name)
        }
    }

    /// The aggregate as SQL, cast to text.
    var sql: String {
        let value = column?.sql ?? "*"
        return switch function {
        case .count: "count(\(value))::text"
        case .minimum: "min(\(value))::text"
        case .maximum: "max(\(value))::text"
        case .sum: "sum(\(value))::text"
        case .average: "avg(\(value))::text"
        }
    }

    /// Decodes the value of ``sql``.
    ///
    /// - Throws: a `BAD_REQUEST` error if a sum is out of range.
    func value(_ text: String) throws(ServerError) -> FieldValue? {
        switch function {
        case .count: return Int64(text).map(FieldValue.int64)
        case .average: return .double(try AggregateColumn.double(text, of: function.rawValue))
        case .sum where column?.type.base == .double:
            return .double(try AggregateColumn.double(text, of: function.rawValue))
        case .sum:
            if let whole = Int64(text) { return .int64(whole) }
            return .double(try AggregateColumn.double(text, of: function.rawValue))
        case .minimum, .maximum: return try column?.value(text)
        }
    }
}
