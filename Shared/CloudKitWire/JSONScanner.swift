internal import CloudKitModel

/// One pass over the bytes of a JSON text: a cursor that its callers tell what they expect next.
///
/// Nothing is built on the way but what the caller asks for. UTF-8 is checked once for the whole text at the start,
/// so strings are made without a second thought. Lives only inside `scan`, which lends it the bytes.
struct JSONScanner {
    /// The bytes; valid while `scan` runs.
    let base: UnsafePointer<UInt8>
    /// Their number.
    let count: Int
    /// The offset of the next byte.
    var position = 0
    /// The number of objects and arrays around the cursor.
    var depth = 0
    /// Whether the bytes are ours: only there is a key that clients must not set looked at.
    var isTrusted = false

    /// Deeper nesting is refused: twenty-four levels of a predicate, two each, are the deepest that a request has, and recursion is bounded by it.
    static let maxDepth = 64

    /// Lends `body` a scanner over `bytes`, which must hold exactly one value. An empty text reads as `{}`, since
    /// several requests need no body.
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

    /// Lends `body` a scanner over part of bytes that came from this module or from jsonb, so that UTF-8 needs no
    /// check.
    static func scan<Value>(
        trusted bytes: ArraySlice<UInt8>, _ body: (inout JSONScanner) throws(WireFault) -> Value
    ) throws(WireFault) -> Value {
        try bytes.withUnsafeBufferPointer { buffer throws(WireFault) in try scan(trusted: buffer, body) }
    }

    /// The same over bytes that somebody lends.
    @inline(__always)
    static func scan<Value>(
        trusted bytes: UnsafeBufferPointer<UInt8>, _ body: (inout JSONScanner) throws(WireFault) -> Value
    ) throws(WireFault) -> Value {
        guard let base = bytes.baseAddress else { throw WireFault.syntax(.unexpectedEnd, offset: 0, field: nil) }
        var scanner = JSONScanner(base: base, count: bytes.count)
        scanner.isTrusted = true
        return try body(&scanner)
    }

    /// The next byte that is not white space, without passing it; nil at the end.
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

    /// Passes `byte`, after white space.
    @inline(__always)
    mutating func expect(_ byte: UInt8) throws(WireFault) {
        guard peek() == byte else { throw unexpected() }
        position += 1
    }

    /// A fault of the text at the cursor.
    func fault(_ syntax: WireFault.Syntax) -> WireFault { .syntax(syntax, offset: position, field: nil) }

    /// The fault of the byte at the cursor, or of there being none.
    func unexpected() -> WireFault { fault(position < count ? .unexpectedByte : .unexpectedEnd) }
}

// MARK: - Objects and arrays

extension JSONScanner {
    /// Passes the `{` or `[` of a container.
    @inline(__always)
    mutating func open(_ byte: UInt8) throws(WireFault) {
        try expect(byte)
        depth += 1
        if depth > Self.maxDepth {
            position -= 1
            throw fault(.tooDeep)
        }
    }

    /// Passes the comma before a container's next item, or its end.
    /// - Parameter isFirst: True before the first item; turned to false.
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
        // `[1,]` is not JSON: the value that must follow is not the end.
        if peek() == end { throw unexpected() }
        return true
    }

    /// Passes the next key of an object and its colon; nil at the object's end. Between two calls the caller passes
    /// the key's value.
    @inline(__always)
    mutating func nextKey(isFirst: inout Bool) throws(WireFault) -> Token? {
        guard try next(isFirst: &isFirst, before: UInt8(ascii: "}")) else { return nil }
        let key = try stringToken()
        try expect(UInt8(ascii: ":"))
        return key
    }

    /// Whether another element of an array follows. Between two calls the caller passes the element.
    @inline(__always)
    mutating func nextElement(isFirst: inout Bool) throws(WireFault) -> Bool {
        try next(isFirst: &isFirst, before: UInt8(ascii: "]"))
    }

    /// Passes a value of any kind, checking no more than that it is JSON.
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

    /// Passes one of the three words.
    mutating func literal(_ word: StaticString) throws(WireFault) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard position < count, base[position] == word.utf8Start[offset] else { throw unexpected() }
            position += 1
        }
    }

    /// Passes a `null` if one is next, and tells whether it was.
    @inline(__always)
    mutating func skipNull() throws(WireFault) -> Bool {
        guard peek() == UInt8(ascii: "n") else { return false }
        try literal("null")
        return true
    }
}
