package import Foundation

/// Readers of one-dimensional arrays without NULL elements. Each traps on a NULL element. Each has an `IfPresent` form,
/// which returns `nil` if the column is NULL; the other form traps.
extension PostgresRow {
    package func textArrayIfPresent(_ column: Int) -> [String]? {
        read(column, as: .textArray, or: { $0 == .varcharArray || $0 == .nameArray }) { bytes in
            elements(of: bytes, column) { String(decoding: $0, as: UTF8.self) }
        }
    }

    package func boolArrayIfPresent(_ column: Int) -> [Bool]? {
        integerArray(column, as: .boolArray) { (wire: UInt8) in wire != 0 }
    }

    package func int16ArrayIfPresent(_ column: Int) -> [Int16]? {
        integerArray(column, as: .int2Array) { (wire: Int16) in wire }
    }

    package func int32ArrayIfPresent(_ column: Int) -> [Int32]? {
        integerArray(column, as: .int4Array) { (wire: Int32) in wire }
    }

    package func int64ArrayIfPresent(_ column: Int) -> [Int64]? {
        integerArray(column, as: .int8Array) { (wire: Int64) in wire }
    }

    package func doubleArrayIfPresent(_ column: Int) -> [Double]? {
        integerArray(column, as: .float8Array) { (wire: UInt64) in Double(bitPattern: wire) }
    }

    /// `timestamptz` in milliseconds since 1970.
    package func millisecondsArrayIfPresent(_ column: Int) -> [Int64]? {
        integerArray(column, as: .timestamptzArray) { (wire: Int64) in
            PostgresTimestamp.milliseconds(fromMicroseconds: wire)
        }
    }

    package func bytesArrayIfPresent(_ column: Int) -> [[UInt8]]? {
        read(column, as: .byteaArray) { bytes in elements(of: bytes, column) { [UInt8]($0) } }
    }

    /// The elements as JSON text, without jsonb's version byte.
    package func jsonbArrayIfPresent(_ column: Int) -> [[UInt8]]? {
        read(column, as: .jsonbArray) { bytes in elements(of: bytes, column) { [UInt8]($0.dropFirst()) } }
    }

    package func uuidArrayIfPresent(_ column: Int) -> [UUID]? {
        read(column, as: .uuidArray) { bytes in
            elements(of: bytes, column) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        }
    }

    package func textArray(_ column: Int) -> [String] { present(textArrayIfPresent(column), column) }
    package func boolArray(_ column: Int) -> [Bool] { present(boolArrayIfPresent(column), column) }
    package func int16Array(_ column: Int) -> [Int16] { present(int16ArrayIfPresent(column), column) }
    package func int32Array(_ column: Int) -> [Int32] { present(int32ArrayIfPresent(column), column) }
    package func int64Array(_ column: Int) -> [Int64] { present(int64ArrayIfPresent(column), column) }
    package func doubleArray(_ column: Int) -> [Double] { present(doubleArrayIfPresent(column), column) }
    package func millisecondsArray(_ column: Int) -> [Int64] { present(millisecondsArrayIfPresent(column), column) }
    package func bytesArray(_ column: Int) -> [[UInt8]] { present(bytesArrayIfPresent(column), column) }
    package func jsonbArray(_ column: Int) -> [[UInt8]] { present(jsonbArrayIfPresent(column), column) }
    package func uuidArray(_ column: Int) -> [UUID] { present(uuidArrayIfPresent(column), column) }

    private func integerArray<Wire: FixedWidthInteger, Value>(
        _ column: Int, as type: PostgresType, _ value: (Wire) -> Value
    ) -> [Value]? {
        read(column, as: type) { bytes in
            elements(of: bytes, column) { element in
                precondition(element.count == MemoryLayout<Wire>.size)
                return value(Wire(bigEndian: element.loadUnaligned(as: Wire.self)))
            }
        }
    }

    private func elements<Value>(
        of bytes: UnsafeRawBufferPointer, _ column: Int, _ value: (UnsafeRawBufferPointer) -> Value
    ) -> [Value] {
        var reader = ArrayReader(bytes)
        var values: [Value] = []
        values.reserveCapacity(reader.count)
        while let element = reader.next() {
            guard let element else { preconditionFailure("column \(column) has a NULL element") }
            values.append(value(element))
        }
        return values
    }
}
