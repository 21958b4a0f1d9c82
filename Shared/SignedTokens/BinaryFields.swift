/// Writes fields one after another, numbers big-endian: the inside of tokens and of stored outcomes.
package struct BinaryWriter: Sendable {
    /// What was written so far.
    package private(set) var bytes: [UInt8] = []

    /// Nothing written yet.
    package init() {}

    /// A number, big-endian.
    package mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// At most 65,535 bytes of UTF-8; the rest is cut off.
    package mutating func append(_ text: String) {
        let utf8 = text.utf8.prefix(Int(UInt16.max))
        append(UInt16(utf8.count))
        bytes.append(contentsOf: utf8)
    }

    /// A text that may be missing.
    package mutating func append(_ text: String?) {
        append(UInt8(text == nil ? 0 : 1))
        if let text { append(text) }
    }

    /// Bytes of a length that the reader knows.
    package mutating func append(raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }

    /// A number that may be missing.
    package mutating func append(_ number: Int?) {
        append(UInt8(number == nil ? 0 : 1))
        if let number { append(Int64(number)) }
    }
}

/// Reads them back; nil past the end.
package struct BinaryReader: Sendable {
    private var rest: ArraySlice<UInt8>

    /// Reads `bytes` from their start.
    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Whether everything was read.
    package var isAtEnd: Bool { rest.isEmpty }

    /// A number; nil past the end.
    package mutating func read<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value? {
        let length = MemoryLayout<Value>.size
        guard rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length).reduce(0 as Value) { ($0 << 8) | Value(truncatingIfNeeded: $1) }
    }

    /// A text; nil past the end.
    package mutating func readText() -> String? {
        guard let length: UInt16 = read(), rest.count >= Int(length) else { return nil }
        defer { rest = rest.dropFirst(Int(length)) }
        return String(decoding: rest.prefix(Int(length)), as: UTF8.self)
    }

    /// So many bytes; nil past the end.
    package mutating func readRaw(_ length: Int) -> [UInt8]? {
        guard rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }

    /// Nil past the end, `.some(nil)` for a missing text.
    package mutating func readOptionalText() -> String?? {
        switch read(UInt8.self) {
        case 0: .some(nil)
        case 1: readText().map { .some($0) }
        default: nil
        }
    }

    /// Nil past the end, `.some(nil)` for a missing number.
    package mutating func readOptionalNumber() -> Int?? {
        switch read(UInt8.self) {
        case 0: .some(nil)
        case 1: read(Int64.self).map { .some(Int($0)) }
        default: nil
        }
    }
}
