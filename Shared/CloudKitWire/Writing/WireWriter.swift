package import CloudKitModel

/// A writer that appends JSON to an array of bytes. It inserts commas; the caller must balance brackets, and write keys
/// and values alternately.
///
/// A comma is required if and only if the last byte ends a value. No value ends with `{`, `[`, `,` or `:`, because
/// strings end with a quote.
package struct WireWriter: Sendable {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8]
    /// The request's id, which is written into every error; if nil, errors contain no id.
    package var requestID: String?
    /// Whether the output is for clients of CloudKit Web Services. If true, errors use HTTP terms, and a tombstone
    /// omits the key by which such clients recognize live records.
    package var isForWeb = false
    /// The codes of all errors that were written, for requests and for items. Metrics count these codes.
    package internal(set) var errorCodes: [ServerErrorCode] = []
    /// The maximum number of bytes. ``attempt(reserving:_:)`` removes output that exceeds it.
    package var maxBytes = Int.max

    /// Creates an empty writer with a capacity of `capacity` bytes.
    package init(capacity: Int = 1024) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Creates a writer that appends to `bytes`, which must end where a value may begin. Reuses the array's storage if
    /// the caller gives up ownership.
    init(appendingTo bytes: consuming [UInt8]) { self.bytes = bytes }

    /// Writes `{`.
    @inline(__always)
    package mutating func beginObject() { begin(UInt8(ascii: "{")) }
    /// Writes `}`.
    @inline(__always)
    package mutating func endObject() { bytes.append(UInt8(ascii: "}")) }
    /// Writes `[`.
    @inline(__always)
    package mutating func beginArray() { begin(UInt8(ascii: "[")) }
    /// Writes `]`.
    @inline(__always)
    package mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

    /// Writes a key and its colon; one value must follow. `name` must not require escaping.
    @inline(__always)
    package mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        literal(name)
        literal("\":")
    }

    /// Writes a key and its colon; one value must follow.
    @inline(__always)
    package mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes a value that is already JSON.
    @inline(__always)
    package mutating func raw(_ json: ArraySlice<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Writes a value that is already JSON.
    package mutating func raw(_ json: [UInt8]) { raw(json[...]) }

    /// Writes `null`.
    package mutating func null() { word("null") }

    /// Writes `true` or `false`.
    package mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

    /// Writes an integer.
    package mutating func int(_ value: Int64) {
        separate()
        var magnitude = value.magnitude
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        // The digits are produced in reverse order.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = 20
            repeat {
                start -= 1
                digits[start] = UInt8(truncatingIfNeeded: magnitude % 10) + UInt8(ascii: "0")
                magnitude /= 10
            } while magnitude > 0
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Writes an integer.
    package mutating func int(_ value: Int) { int(Int64(value)) }

    /// Writes the shortest number that is read back as `value`; integral values have a `.0` or an exponent. Writes null
    /// for values that are not finite, as JavaScript does.
    package mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        var text = value.description
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Writes a string, escaped only where JSON requires it.
    @inline(__always)
    package mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { escaped($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes bytes as a base64 string.
    package mutating func base64(_ data: [UInt8]) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        Base64.encode(data, into: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a string that does not need escaping.
    package mutating func string(_ text: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        literal(text)
        bytes.append(UInt8(ascii: "\""))
    }
}

// MARK: - Bounds

extension WireWriter {
    /// The number of bytes that can still be written; negative if too many have been written.
    package var room: Int { maxBytes - bytes.count }

    /// Calls `body`, and removes its output if fewer than `reserve` bytes of room remain afterwards.
    ///
    /// - Returns: Whether the output was kept.
    package mutating func attempt(
        reserving reserve: Int = 0, _ body: (inout WireWriter) throws -> Void
    ) rethrows -> Bool {
        let (end, errors) = (bytes.count, errorCodes.count)
        try body(&self)
        guard room < reserve else { return true }
        bytes.removeLast(bytes.count - end)
        errorCodes.removeLast(errorCodes.count - errors)
        return false
    }
}

// MARK: - Bytes

extension WireWriter {
    /// Writes the comma that precedes a value or key, if one is required.
    @inline(__always)
    mutating func separate() {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: ","): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    /// Appends bytes unchanged.
    @inline(__always)
    mutating func literal(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends bytes unchanged.
    @inline(__always)
    mutating func append(_ json: ArraySlice<UInt8>) { bytes.append(contentsOf: json) }

    /// Appends bytes unchanged.
    @inline(__always)
    mutating func append(_ json: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: json) }

    /// Appends three runs of bytes in one step.
    @inline(__always)
    mutating func append(
        _ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>, _ third: UnsafeBufferPointer<UInt8>
    ) {
        bytes.append(addingCapacity: first.count + second.count + third.count) { span in
            span.withUnsafeMutableBufferPointer { room, count in
                guard let base = room.baseAddress else { return }
                func add(_ run: UnsafeBufferPointer<UInt8>) {
                    if let start = run.baseAddress { (base + count).initialize(from: start, count: run.count) }
                    count += run.count
                }
                add(first)
                add(second)
                add(third)
            }
        }
    }

    /// Appends UTF-8 text as a JSON string, without a preceding comma.
    @inline(__always)
    mutating func text(_ text: UnsafeRawBufferPointer) {
        bytes.append(UInt8(ascii: "\""))
        escaped(text.assumingMemoryBound(to: UInt8.self))
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a range of `text`.
    @inline(__always)
    mutating func append(_ text: [UInt8], _ range: Range<Int>) {
        text.withUnsafeBufferPointer { bytes.append(contentsOf: UnsafeBufferPointer(rebasing: $0[range])) }
    }

    /// Writes a literal value such as `null`.
    mutating func word(_ text: StaticString) {
        separate()
        literal(text)
    }

    @inline(__always)
    private mutating func begin(_ byte: UInt8) {
        separate()
        bytes.append(byte)
    }

    private mutating func escaped(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for index in 0..<text.count {
            let byte = text[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
            start = index + 1
            escape(byte)
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): literal("\\\"")
        case UInt8(ascii: "\\"): literal("\\\\")
        case 0x0A: literal("\\n")
        case 0x0D: literal("\\r")
        case 0x09: literal("\\t")
        default:
            let digits: StaticString = "0123456789abcdef"
            literal("\\u00")
            bytes.append(digits.utf8Start[Int(byte >> 4)])
            bytes.append(digits.utf8Start[Int(byte & 0x0F)])
        }
    }
}
