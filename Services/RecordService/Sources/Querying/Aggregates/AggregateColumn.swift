internal import CloudKitModel
internal import CloudKitQuery
internal import RecordStorage

/// A field whose values are aggregated, or by which records are grouped.
struct AggregateColumn {
    /// The name of the field, for error messages.
    let name: String
    /// The type of the field.
    let type: FieldType
    /// The SQL expression for the value, which is text or a number. Times are in milliseconds since 1970.
    let sql: String

    /// - Parameters:
    ///   - target: the records that are aggregated.
    ///   - isGroup: whether records are grouped by the field. If so, only the beginnings of strings are compared, as
    ///     they are when records are sorted, because an answer can contain many groups.
    /// - Throws: `BAD_REQUEST` for a field that has no single sortable value.
    init(_ operand: Operand, of target: QueryTarget, isGroup: Bool = false) throws(ServerError) {
        name = operand.name
        guard let type = operand.type, !type.isList else { throw Self.refusal(operand) }
        self.type = type
        switch operand {
        case .system(.createdTimestamp): sql = "(extract(epoch from created_at) * 1000)::int8"
        case .system(.modifiedTimestamp): sql = "(extract(epoch from modified_at) * 1000)::int8"
        case .system(.parent): sql = target.column(of: .parent)
        case .field(let name, let type) where type.base == .string && !isGroup:
            sql = FieldExpression.text(of: name)
        default:
            guard let value = FieldExpression.value(of: operand.name, type: type) else { throw Self.refusal(operand) }
            sql = value
        }
    }

    /// Decodes the value of ``sql``, which PostgreSQL returns as text.
    ///
    /// - Throws: `BAD_REQUEST` for a number that DOUBLE cannot represent.
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
            throw ServerError(.numberOutOfRange, "The value of '\(what)' is outside the range of DOUBLE", field: what)
        }
        return number
    }

    private static func refusal(_ operand: Operand) -> ServerError {
        ServerError(
            .aggregateInvalid, "The field '\(operand.name)' has no single sortable value", field: operand.name)
    }
}
