/// Serializes fields one after another, with big-endian integers. Tokens and stored outcomes use this format.
package struct BinaryWriter: Sendable {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty writer.
    package init() {}

    /// Appends an integer, big-endian.
    package mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a string with its length. Truncates the string to 65,535 bytes of UTF-8.
    package mutating func append(_ text: String) {
        let utf8 = text.utf8.prefix(Int(UInt16.max))
        append(UInt16(utf8.count))
        bytes.append(contentsOf: utf8)
    }

    /// Appends an optional string.
    package mutating func append(_ text: String?) {
        append(UInt8(text == nil ? 0 : 1))
        if let text { append(text) }
    }

    /// Appends bytes without their length, which the reader must know.
    package mutating func append(raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }

    /// Appends an optional integer.
    package mutating func append(_ number: Int?) {
        append(UInt8(number == nil ? 0 : 1))
        if let number { append(Int64(number)) }
    }
}

/// Reads the fields that ``BinaryWriter`` wrote. Each read returns nil past the end.
package struct BinaryReader: Sendable {
    private var rest: ArraySlice<UInt8>

    /// Creates a reader at the start of `bytes`.
    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Whether all bytes have been read.
    package var isAtEnd: Bool { rest.isEmpty }

    /// Reads an integer; nil past the end.
    package mutating func read<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value? {
        let length = MemoryLayout<Value>.size
        guard rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length).reduce(0 as Value) { ($0 << 8) | Value(truncatingIfNeeded: $1) }
    }

    /// Reads a string; nil past the end.
    package mutating func readText() -> String? {
        guard let length: UInt16 = read(), rest.count >= Int(length) else { return nil }
        defer { rest = rest.dropFirst(Int(length)) }
        return String(decoding: rest.prefix(Int(length)), as: UTF8.self)
    }

    /// Reads `length` bytes; nil past the end.
    package mutating func readRaw(_ length: Int) -> [UInt8]? {
        guard rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }

    /// Reads an optional string: nil past the end, `.some(nil)` for an absent string.
    package mutating func readOptionalText() -> String?? {
        switch read(UInt8.self) {
        case 0: .some(nil)
        case 1: readText().map { .some($0) }
        default: nil
        }
    }

    /// Reads an optional integer: nil past the end, `.some(nil)` for an absent integer.
    package mutating func readOptionalNumber() -> Int?? {
        switch read(UInt8.self) {
        case 0: .some(nil)
        case 1: read(Int64.self).map { .some(Int($0)) }
        default: nil
        }
    }
}
