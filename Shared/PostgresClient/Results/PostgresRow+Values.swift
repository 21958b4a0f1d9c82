package import Foundation

/// Readers of single values. Each has an `IfPresent` form that returns `nil` for NULL.
extension PostgresRow {
    package func boolIfPresent(_ column: Int) -> Bool? {
        readInteger(column, as: .bool, UInt8.self).map { $0 != 0 }
    }

    package func int16IfPresent(_ column: Int) -> Int16? {
        readInteger(column, as: .int2, Int16.self)
    }

    package func int32IfPresent(_ column: Int) -> Int32? {
        readInteger(column, as: .int4, Int32.self)
    }

    package func int64IfPresent(_ column: Int) -> Int64? {
        readInteger(column, as: .int8, Int64.self)
    }

    package func doubleIfPresent(_ column: Int) -> Double? {
        readInteger(column, as: .float8, UInt64.self).map(Double.init(bitPattern:))
    }

    /// The value of any text type, including `name`.
    package func stringIfPresent(_ column: Int) -> String? {
        read(column, as: .text, or: \.isText) { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of a `bytea`, copied.
    package func bytesIfPresent(_ column: Int) -> [UInt8]? {
        read(column, as: .bytea) { [UInt8]($0) }
    }

    /// The JSON text of a `jsonb` or `json`, copied, without jsonb's version byte.
    package func jsonbIfPresent(_ column: Int) -> [UInt8]? {
        let hasVersion = handle.type(column: column) == .jsonb
        return read(column, as: .jsonb, or: { $0 == .json }) { [UInt8]($0.dropFirst(hasVersion ? 1 : 0)) }
    }

    package func uuidIfPresent(_ column: Int) -> UUID? {
        read(column, as: .uuid) { bytes in
            precondition(bytes.count == 16)
            return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
        }
    }

    /// A `timestamptz` in milliseconds since 1970, rounded down; `infinity` and `-infinity` become the limits of
    /// `Int64`.
    package func millisecondsIfPresent(_ column: Int) -> Int64? {
        readInteger(column, as: .timestamptz, Int64.self).map(PostgresTimestamp.milliseconds(fromMicroseconds:))
    }

    package func xid8IfPresent(_ column: Int) -> UInt64? {
        readInteger(column, as: .xid8, UInt64.self)
    }

    package func bool(_ column: Int) -> Bool { present(boolIfPresent(column), column) }
    package func int16(_ column: Int) -> Int16 { present(int16IfPresent(column), column) }
    package func int32(_ column: Int) -> Int32 { present(int32IfPresent(column), column) }
    package func int64(_ column: Int) -> Int64 { present(int64IfPresent(column), column) }
    package func double(_ column: Int) -> Double { present(doubleIfPresent(column), column) }
    package func string(_ column: Int) -> String { present(stringIfPresent(column), column) }
    package func bytes(_ column: Int) -> [UInt8] { present(bytesIfPresent(column), column) }
    package func jsonb(_ column: Int) -> [UInt8] { present(jsonbIfPresent(column), column) }
    package func uuid(_ column: Int) -> UUID { present(uuidIfPresent(column), column) }
    package func milliseconds(_ column: Int) -> Int64 { present(millisecondsIfPresent(column), column) }
    package func xid8(_ column: Int) -> UInt64 { present(xid8IfPresent(column), column) }
}
