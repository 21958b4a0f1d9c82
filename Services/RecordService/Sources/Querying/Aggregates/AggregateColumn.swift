internal import CloudKitModel
internal import CloudKitQuery
internal import RecordStorage

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
        case .reference: return .reference(Reference(recordName: RecordName(unchecked: text)))
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
