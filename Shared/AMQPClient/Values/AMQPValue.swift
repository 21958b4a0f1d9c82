/// A value in a header table or in the arguments of a declaration.
///
/// AMQP has eight integer types. All are read as `int64`, and integers are sent as `int64`.
package enum AMQPValue: Sendable, Hashable {
    case bool(Bool)
    case int64(Int64)
    case double(Double)
    case string(String)
    case bytes([UInt8])
    /// Seconds since 1970.
    case timestamp(UInt64)
    case table(AMQPTable)
    case array([AMQPValue])
    case void
}

extension AMQPValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral
{
    package init(stringLiteral value: String) {
        self = .string(value)
    }

    package init(integerLiteral value: Int64) {
        self = .int64(value)
    }

    package init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    package init(floatLiteral value: Double) {
        self = .double(value)
    }
}

extension AMQPValue {
    /// An upper bound on the value's size in a frame, in bytes.
    var encodedSize: Int {
        switch self {
        case .void: 1
        case .bool: 2
        case .int64, .double, .timestamp: 9
        case .string(let string): 5 + string.utf8.count
        case .bytes(let bytes): 5 + bytes.count
        case .table(let table): 1 + table.encodedSize
        case .array(let values): values.reduce(5) { $0 + $1.encodedSize }
        }
    }

    /// Whether every key, including nested ones, fits into an AMQP short string.
    var hasValidKeys: Bool {
        switch self {
        case .table(let table): table.hasValidKeys
        case .array(let values): values.allSatisfy(\.hasValidKeys)
        default: true
        }
    }
}
