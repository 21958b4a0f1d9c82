internal import CloudKitModel

/// The position of a string's content in the text, without quotes and before unescaping.
struct Token {
    /// The offset of the first byte.
    var start: Int
    /// The number of bytes.
    var count: Int
    /// Whether the content includes escapes.
    var isEscaped: Bool
}

extension JSONScanner {
    /// Scans and validates a string. Skips ordinary bytes eight at a time.
    mutating func stringToken() throws(WireFault) -> Token {
        try expect(UInt8(ascii: "\""))
        let start = position
        var isEscaped = false
        while true {
            position += plainRun(at: position)
            guard position < count else { throw unexpected() }
            switch base[position] {
            case UInt8(ascii: "\""):
                let token = Token(start: start, count: position - start, isEscaped: isEscaped)
                position += 1
                return token
            case UInt8(ascii: "\\"):
                isEscaped = true
                try skipEscape()
            default: throw fault(.controlCharacter)
            }
        }
    }

    /// Returns the decoded text of a string.
    /// - Throws: A content error for NUL and lone surrogates, which PostgreSQL cannot store.
    @inline(__always)
    func text(_ token: Token) throws(WireFault) -> String {
        guard token.isEscaped else {
            return String(
                decoding: UnsafeBufferPointer(start: base + token.start, count: token.count), as: UTF8.self)
        }
        return try unescapedText(token)
    }

    /// Returns whether a key equals `word`.
    @inline(__always)
    func matches(_ token: Token, _ word: StaticString) -> Bool {
        guard !token.isEscaped else { return (try? unescapedText(token)) == word.description }
        guard token.count == word.utf8CodeUnitCount else { return false }
        for offset in 0..<token.count where base[token.start + offset] != word.utf8Start[offset] { return false }
        return true
    }

    /// Returns the number of bytes from `offset` up to the next quote, backslash or control character.
    @inline(__always)
    private func plainRun(at offset: Int) -> Int {
        var index = offset
        let raw = UnsafeRawPointer(base)
        while index + 8 <= count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let quote = word ^ 0x2222_2222_2222_2222
            let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
            // In each term, the top bit of a byte is set if the byte matches, which means that it is zero in the first
            // two terms, or below 0x20 in the last. Borrows can corrupt only bytes above the lowest match, which is the
            // only one used.
            let hits =
                ((quote &- 0x0101_0101_0101_0101) & ~quote)
                | ((backslash &- 0x0101_0101_0101_0101) & ~backslash)
                | ((word &- 0x2020_2020_2020_2020) & ~word)
            let mask = hits & 0x8080_8080_8080_8080
            if mask != 0 { return index - offset + mask.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < count {
            let byte = base[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            index += 1
        }
        return index - offset
    }

    private mutating func skipEscape() throws(WireFault) {
        guard position + 1 < count else {
            position = count
            throw unexpected()
        }
        switch base[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            guard position + 6 <= count, hexUnit(at: position + 2) != nil else { throw fault(.invalidEscape) }
            position += 6
        default: throw fault(.invalidEscape)
        }
    }

    /// Parses the four hexadecimal digits at `offset`, which must be within the text.
    private func hexUnit(at offset: Int) -> UInt16? {
        var unit: UInt16 = 0
        for index in offset..<offset + 4 {
            guard let digit = hexDigit(base[index]) else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }

    private func hexDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte & 0x0F)
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte & 0x0F) + 9
        default: nil
        }
    }

    /// Decodes a token that contains escapes. Its syntax was validated during the scan.
    private func unescapedText(_ token: Token) throws(WireFault) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(token.count)
        var index = token.start
        let end = token.start + token.count
        while index < end {
            let byte = base[index]
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                index += 1
                continue
            }
            let escape = base[index + 1]
            index += 2
            switch escape {
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "u"): bytes.append(contentsOf: Unicode.UTF8.encode(try scalar(at: &index, end: end))!)
            default: bytes.append(escape)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes the scalar of the `\u` escape whose digits begin at `index`. If this escape is the first half of a
    /// surrogate pair, the second half is read too.
    private func scalar(at index: inout Int, end: Int) throws(WireFault) -> Unicode.Scalar {
        let unit = UInt32(hexUnit(at: index) ?? 0)
        index += 4
        guard unit != 0 else { throw .content(ServerError(.nulInString, "A string must not contain NUL")) }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, index + 6 <= end, base[index] == UInt8(ascii: "\\"), base[index + 1] == UInt8(ascii: "u"),
            let low = hexUnit(at: index + 2), (0xDC00...0xDFFF).contains(low)
        else { throw .content(ServerError(.loneSurrogate, "A string must not contain a lone surrogate")) }
        index += 6
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + UInt32(low) - 0xDC00)!
    }
}
