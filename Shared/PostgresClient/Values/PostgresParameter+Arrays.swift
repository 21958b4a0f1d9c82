package import Foundation

/// One-dimensional arrays, for example for `unnest` and `any`. A `nil` element becomes NULL; an empty array becomes
/// `{}`, not NULL.
extension PostgresParameter {
    package static func textArray(_ values: [String?]) -> PostgresParameter {
        var writer = ArrayWriter(
            element: .text, count: values.count,
            payloadBytes: values.reduce(0) { $0 + ($1?.utf8.count ?? 0) })
        for value in values {
            guard var value else { writer.appendNull(); continue }
            value.withUTF8 { writer.append(UnsafeRawBufferPointer($0)) }
        }
        return PostgresParameter(.textArray, .bytes(writer.finish()))
    }

    package static func int2Array(_ values: [Int16?]) -> PostgresParameter {
        integers(values, element: .int2, array: .int2Array) { $0 }
    }

    package static func int4Array(_ values: [Int32?]) -> PostgresParameter {
        integers(values, element: .int4, array: .int4Array) { $0 }
    }

    package static func int8Array(_ values: [Int64?]) -> PostgresParameter {
        integers(values, element: .int8, array: .int8Array) { $0 }
    }

    package static func boolArray(_ values: [Bool?]) -> PostgresParameter {
        integers(values, element: .bool, array: .boolArray) { $0 ? 1 as UInt8 : 0 }
    }

    package static func float8Array(_ values: [Double?]) -> PostgresParameter {
        integers(values, element: .float8, array: .float8Array) { $0.bitPattern }
    }

    /// Times in milliseconds since 1970. The statement fails with SQLSTATE 22008 if a time is outside the server's
    /// range.
    package static func timestamptzArray(_ values: [Int64?]) -> PostgresParameter {
        integers(values, element: .timestamptz, array: .timestamptzArray) {
            PostgresTimestamp.microseconds(fromMilliseconds: $0)
        }
    }

    package static func byteaArray(_ values: [[UInt8]?]) -> PostgresParameter {
        byteStrings(values, element: .bytea, array: .byteaArray, prefix: nil)
    }

    /// - Parameter values: the elements as JSON text in UTF-8.
    package static func jsonbArray(_ values: [[UInt8]?]) -> PostgresParameter {
        byteStrings(values, element: .jsonb, array: .jsonbArray, prefix: PostgresJSONB.version)
    }

    package static func uuidArray(_ values: [UUID?]) -> PostgresParameter {
        var writer = ArrayWriter(element: .uuid, count: values.count, payloadBytes: values.count * 16)
        for value in values {
            guard let value else { writer.appendNull(); continue }
            withUnsafeBytes(of: value.uuid) { writer.append($0) }
        }
        return PostgresParameter(.uuidArray, .bytes(writer.finish()))
    }

    @inline(__always)
    private static func integers<Value, Wire: FixedWidthInteger>(
        _ values: [Value?], element: PostgresType, array: PostgresType, wire: (Value) -> Wire
    ) -> PostgresParameter {
        var writer = ArrayWriter(
            element: element, count: values.count, payloadBytes: values.count * MemoryLayout<Wire>.size)
        for value in values {
            guard let value else { writer.appendNull(); continue }
            writer.append(integer: wire(value))
        }
        return PostgresParameter(array, .bytes(writer.finish()))
    }

    private static func byteStrings(
        _ values: [[UInt8]?], element: PostgresType, array: PostgresType, prefix: UInt8?
    ) -> PostgresParameter {
        let prefixBytes = prefix == nil ? 0 : 1
        var writer = ArrayWriter(
            element: element, count: values.count,
            payloadBytes: values.reduce(0) { $0 + ($1.map { $0.count + prefixBytes } ?? 0) })
        for value in values {
            guard let value else { writer.appendNull(); continue }
            value.withUnsafeBytes { writer.append($0, prefix: prefix) }
        }
        return PostgresParameter(array, .bytes(writer.finish()))
    }
}

enum PostgresJSONB {
    /// The first byte of jsonb's binary form; the JSON text follows.
    static let version: UInt8 = 1
}
