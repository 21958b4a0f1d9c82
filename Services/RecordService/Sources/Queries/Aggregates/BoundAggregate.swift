internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitWire

/// A number over the records of a query.
struct BoundAggregate {
    /// What is computed. The raw value is the name on the wire.
    enum Function: String, CaseIterable {
        case count = "COUNT"
        case minimum = "MIN"
        case maximum = "MAX"
        case sum = "SUM"
        case average = "AVG"
    }

    let function: Function
    /// Nil: COUNT of the records.
    let column: AggregateColumn?
    /// As it was asked for, to be told with the value.
    let wire: AggregateRecordsRequest.Aggregate

    /// Binds an aggregate.
    ///
    /// - Throws: `BAD_REQUEST` naming the field.
    init(_ wire: AggregateRecordsRequest.Aggregate, _ binder: PredicateBinder<RecordTypeSchema>) throws(ServerError) {
        guard let function = Function(rawValue: wire.function) else {
            throw ServerError(.aggregateInvalid, "There is no aggregate '\(wire.function)'", field: "function")
        }
        self.function = function
        self.wire = wire
        let key = try QueryKey(fieldName: wire.fieldName, systemFieldName: wire.systemFieldName)
        column = try key.map { key throws(ServerError) in try AggregateColumn(binder.operand(key)) }
        guard function != .count else { return }
        guard let column else {
            throw ServerError(.aggregateInvalid, "The aggregate \(function.rawValue) needs a field", field: "fieldName")
        }
        let isNumber = column.type.base == .int64 || column.type.base == .double || column.type.base == .number
        let isOrdered = isNumber || column.type.base == .timestamp || column.type.base == .string
        guard function == .minimum || function == .maximum ? isOrdered : isNumber else {
            throw ServerError(
                .aggregateInvalid, "There is no \(function.rawValue) of '\(column.name)', which is \(column.type)",
                field: column.name)
        }
    }

    /// The aggregate as a text.
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

    /// The value of ``sql``.
    ///
    /// - Throws: `BAD_REQUEST` for a sum that no number can be.
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

/// A field whose values are counted together, or apart from each other.
struct AggregateColumn {
    /// The field's name, for error texts.
    let name: String
    /// Its type.
    let type: FieldType
    /// Its value, over a row of the table: a text, or a number (moments in milliseconds since 1970).
    let sql: String

    /// - Parameter isGroup: whether records are told apart by it: texts by their beginning, as sorts do, since an answer
    ///   may have many groups.
    /// - Throws: `BAD_REQUEST` for a field that has no single value with an order.
    init(_ operand: Operand, isGroup: Bool = false) throws(ServerError) {
        name = operand.name
        guard let type = operand.type, !type.isList else { throw Self.refusal(operand) }
        self.type = type
        switch operand {
        case .system(.createdTimestamp): sql = "(extract(epoch from created_at) * 1000)::int8"
        case .system(.modifiedTimestamp): sql = "(extract(epoch from modified_at) * 1000)::int8"
        case .system(.parent): sql = "parent"
        case .field(let name, let type) where type.base == .string && !isGroup:
            sql = FieldExpression.text(of: name)
        default:
            guard let value = FieldExpression.value(of: operand.name, type: type) else { throw Self.refusal(operand) }
            sql = value
        }
    }

    /// The value of ``sql`` as a text.
    ///
    /// - Throws: `BAD_REQUEST` for a number that DOUBLE cannot hold.
    func value(_ text: String) throws(ServerError) -> FieldValue? {
        switch type.base {
        case .string: return .string(text)
        case .reference: return .reference(Reference(recordName: text))
        case .timestamp: return Int64(text).map(FieldValue.timestamp)
        case .double: return .double(try Self.double(text, of: name))
        default:
            if let whole = Int64(text) { return .int64(whole) }
            return .double(try Self.double(text, of: name))
        }
    }

    static func double(_ text: String, of what: String) throws(ServerError) -> Double {
        guard let number = Double(text), number.isFinite else {
            throw ServerError(.numberOutOfRange, "The \(what) is out of the range of DOUBLE", field: what)
        }
        return number
    }

    private static func refusal(_ operand: Operand) -> ServerError {
        ServerError(
            .aggregateInvalid, "The field '\(operand.name)' has no single value to be counted by", field: operand.name)
    }
}
