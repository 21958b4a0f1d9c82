/// A writer that serializes fields one after another, with integers in big-endian order. Tokens and stored outcomes use
/// this format.
package struct BinaryWriter: Sendable {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty writer.
    package init() {}

    /// Appends an integer in big-endian order.
    package mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends the length of a string and its UTF-8 bytes. Truncates the string to 65,535 bytes.
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

/// A reader of the fields that ``BinaryWriter`` wrote. Each method returns nil if too few bytes are left.
package struct BinaryReader: Sendable {
    private var rest: ArraySlice<UInt8>

    /// Creates a reader at the start of `bytes`.
    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Whether all bytes have been read.
    package var isAtEnd: Bool { rest.isEmpty }

    /// Reads an integer. Returns nil if too few bytes are left.
    package mutating func read<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value? {
        let length = MemoryLayout<Value>.size
        guard rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length).reduce(0 as Value) { ($0 << 8) | Value(truncatingIfNeeded: $1) }
    }

    /// Reads a string. Returns nil if too few bytes are left.
    package mutating func readText() -> String? {
        guard let length: UInt16 = read(), rest.count >= Int(length) else { return nil }
        defer { rest = rest.dropFirst(Int(length)) }
        return String(decoding: rest.prefix(Int(length)), as: UTF8.self)
    }

    /// Reads `length` bytes. Returns nil if too few bytes are left.
    package mutating func readRaw(_ length: Int) -> [UInt8]? {
        guard rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }

    /// Reads an optional string: `.some(nil)` if the string is absent, nil if too few bytes are left or they are
    /// malformed.
    package mutating func readOptionalText() -> String?? {
        switch read(UInt8.self) {
        case 0: .some(nil)
        case 1: readText().map { .some($0) }
        default: nil
        }
    }

    /// Reads an optional integer: `.some(nil)` if the integer is absent, nil if too few bytes are left or they are
    /// malformed.
    package mutating func readOptionalNumber() -> Int?? {
        switch read(UInt8.self) {
        case 0: .some(nil)
        case 1: read(Int64.self).map { .some(Int($0)) }
        default: nil
        }
    }
}
