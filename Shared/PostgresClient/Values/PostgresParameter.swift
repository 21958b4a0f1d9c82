package import Foundation

/// A value that is bound to `$1`, `$2` …, with its type and binary form.
///
/// Each factory takes an optional; `nil` becomes SQL's NULL. Values are sent in the server's binary format, so they are
/// not quoted, and numbers do not lose precision. Arrays are encoded when the parameter is created, on the caller's
/// thread.
package struct PostgresParameter: Sendable {
    let type: PostgresType
    let value: Value

    enum Value: Sendable {
        case null
        /// A number, whose lowest `byteCount` bytes are sent in network order.
        case scalar(UInt64, byteCount: Int)
        case text(String)
        case bytes([UInt8])
        /// JSON text without jsonb's leading version byte, which is added when the value is sent.
        case jsonb([UInt8])
        case uuid(UUID)
    }

    init(_ type: PostgresType, _ value: Value?) {
        self.type = type
        self.value = value ?? .null
    }

    package static func text(_ value: String?) -> PostgresParameter {
        PostgresParameter(.text, value.map(Value.text))
    }

    package static func int2(_ value: Int16?) -> PostgresParameter {
        PostgresParameter(.int2, value.map { .scalar(UInt64(UInt16(bitPattern: $0)), byteCount: 2) })
    }

    package static func int4(_ value: Int32?) -> PostgresParameter {
        PostgresParameter(.int4, value.map { .scalar(UInt64(UInt32(bitPattern: $0)), byteCount: 4) })
    }

    package static func int8(_ value: Int64?) -> PostgresParameter {
        PostgresParameter(.int8, value.map { .scalar(UInt64(bitPattern: $0), byteCount: 8) })
    }

    package static func float8(_ value: Double?) -> PostgresParameter {
        PostgresParameter(.float8, value.map { .scalar($0.bitPattern, byteCount: 8) })
    }

    package static func bool(_ value: Bool?) -> PostgresParameter {
        PostgresParameter(.bool, value.map { .scalar($0 ? 1 : 0, byteCount: 1) })
    }

    package static func bytea(_ value: [UInt8]?) -> PostgresParameter {
        PostgresParameter(.bytea, value.map(Value.bytes))
    }

    /// - Parameter value: JSON text in UTF-8.
    package static func jsonb(_ value: [UInt8]?) -> PostgresParameter {
        PostgresParameter(.jsonb, value.map(Value.jsonb))
    }

    package static func uuid(_ value: UUID?) -> PostgresParameter {
        PostgresParameter(.uuid, value.map(Value.uuid))
    }

    /// The statement fails with SQLSTATE 22008 if the time is outside the server's range.
    package static func timestamptz(millisecondsSince1970 value: Int64?) -> PostgresParameter {
        let microseconds = value.map(PostgresTimestamp.microseconds(fromMilliseconds:))
        return PostgresParameter(
            .timestamptz, microseconds.map { .scalar(UInt64(bitPattern: $0), byteCount: 8) })
    }

    package static func xid8(_ value: UInt64?) -> PostgresParameter {
        PostgresParameter(.xid8, value.map { .scalar($0, byteCount: 8) })
    }
}
