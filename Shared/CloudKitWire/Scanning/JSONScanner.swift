internal import CloudKitModel

/// A single-pass JSON scanner. It is a cursor over the bytes; its callers specify what they expect next.
///
/// It creates only the values that the caller requests. The UTF-8 of the whole request is validated at the start, so
/// individual strings need no further checks. A scanner exists only within `scan`, which lends it the bytes.
struct JSONScanner {
    /// The bytes. Valid while `scan` runs.
    let base: UnsafePointer<UInt8>
    /// The number of bytes.
    let count: Int
    /// The offset of the next byte.
    var position = 0
    /// The number of objects and arrays that enclose the cursor.
    var depth = 0
    /// Whether the bytes were produced by this module or jsonb. Keys that clients must not set are read only in such
    /// bytes.
    var isTrusted = false

    /// The maximum depth of nesting, which bounds the recursion. The deepest requests contain predicates with 24
    /// levels, each of which adds two levels of nesting.
    static let maxDepth = 64

    /// Calls `body` with a scanner over `bytes`, which must contain exactly one value. Empty text is read as `{}`,
    /// because several requests need no body.
    static func scan<Value>(
        _ bytes: [UInt8], _ body: (inout JSONScanner) throws(WireFault) -> Value
    ) throws(ServerError) -> Value {
        let text = bytes.isEmpty ? Array("{}".utf8) : bytes
        do throws(WireFault) {
            return try text.withUnsafeBufferPointer { buffer throws(WireFault) in
                var scanner = JSONScanner(base: buffer.baseAddress!, count: buffer.count)
                try scanner.checkUTF8()
                let value = try body(&scanner)
                guard scanner.peek() == nil else { throw scanner.fault(.trailingBytes) }
                return value
            }
        } catch {
            throw error.serverError
        }
    }

    /// Calls `body` with a scanner over bytes that this module or jsonb produced. Their UTF-8 needs no validation.
    static func scan<Value>(
        trusted bytes: ArraySlice<UInt8>, _ body: (inout JSONScanner) throws(WireFault) -> Value
    ) throws(WireFault) -> Value {
        try bytes.withUnsafeBufferPointer { buffer throws(WireFault) in try scan(trusted: buffer, body) }
    }

    /// Calls `body` with a scanner over bytes that this module or jsonb produced.
    @inline(__always)
    static func scan<Value>(
        trusted bytes: UnsafeBufferPointer<UInt8>, _ body: (inout JSONScanner) throws(WireFault) -> Value
    ) throws(WireFault) -> Value {
        guard let base = bytes.baseAddress else { throw WireFault.syntax(.unexpectedEnd, offset: 0, field: nil) }
        var scanner = JSONScanner(base: base, count: bytes.count)
        scanner.isTrusted = true
        return try body(&scanner)
    }

    /// Skips white space and returns the next byte without consuming it; nil at the end.
    @inline(__always)
    mutating func peek() -> UInt8? {
        while position < count {
            let byte = base[position]
            if byte > 0x20 { return byte }
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            position += 1
        }
        return nil
    }

    /// Skips white space and consumes `byte`.
    @inline(__always)
    mutating func expect(_ byte: UInt8) throws(WireFault) {
        guard peek() == byte else { throw unexpected() }
        position += 1
    }

    /// Returns a syntax error at the cursor.
    func fault(_ syntax: WireFault.Syntax) -> WireFault { .syntax(syntax, offset: position, field: nil) }

    /// Returns the error for an unexpected byte or an unexpected end at the cursor.
    func unexpected() -> WireFault { fault(position < count ? .unexpectedByte : .unexpectedEnd) }
}

// MARK: - Objects and arrays

extension JSONScanner {
    /// Consumes the `{` or `[` of a container.
    @inline(__always)
    mutating func open(_ byte: UInt8) throws(WireFault) {
        try expect(byte)
        depth += 1
        if depth > Self.maxDepth {
            position -= 1
            throw fault(.tooDeep)
        }
    }

    /// Consumes the comma before a container's next item, or the container's end.
    /// - Parameter isFirst: Whether the next item is the first. Set to false by the first call.
    /// - Returns: Whether an item follows.
    @inline(__always)
    mutating func next(isFirst: inout Bool, before end: UInt8) throws(WireFault) -> Bool {
        guard let byte = peek() else { throw unexpected() }
        if byte == end {
            position += 1
            depth -= 1
            return false
        }
        if isFirst {
            isFirst = false
            return true
        }
        guard byte == UInt8(ascii: ",") else { throw unexpected() }
        position += 1
        // An item must follow the comma: `[1,]` is not JSON.
        if peek() == end { throw unexpected() }
        return true
    }

    /// Consumes the next key of an object and its colon; returns nil at the object's end. The caller must consume the
    /// key's value before the next call.
    @inline(__always)
    mutating func nextKey(isFirst: inout Bool) throws(WireFault) -> Token? {
        guard try next(isFirst: &isFirst, before: UInt8(ascii: "}")) else { return nil }
        let key = try stringToken()
        try expect(UInt8(ascii: ":"))
        return key
    }

    /// Returns whether another element of an array follows. The caller must consume the element before the next call.
    @inline(__always)
    mutating func nextElement(isFirst: inout Bool) throws(WireFault) -> Bool {
        try next(isFirst: &isFirst, before: UInt8(ascii: "]"))
    }

    /// Skips a value of any kind. Checks only its syntax.
    mutating func skipValue() throws(WireFault) {
        switch peek() {
        case UInt8(ascii: "\""): _ = try stringToken()
        case UInt8(ascii: "{"):
            try open(UInt8(ascii: "{"))
            var isFirst = true
            while try nextKey(isFirst: &isFirst) != nil { try skipValue() }
        case UInt8(ascii: "["):
            try open(UInt8(ascii: "["))
            var isFirst = true
            while try nextElement(isFirst: &isFirst) { try skipValue() }
        case UInt8(ascii: "t"): try literal("true")
        case UInt8(ascii: "f"): try literal("false")
        case UInt8(ascii: "n"): try literal("null")
        default: _ = try number()
        }
    }

    /// Consumes `true`, `false` or `null`.
    mutating func literal(_ word: StaticString) throws(WireFault) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard position < count, base[position] == word.utf8Start[offset] else { throw unexpected() }
            position += 1
        }
    }

    /// Consumes `null` if it is the next value, and returns whether it did.
    @inline(__always)
    mutating func skipNull() throws(WireFault) -> Bool {
        guard peek() == UInt8(ascii: "n") else { return false }
        try literal("null")
        return true
    }
}
