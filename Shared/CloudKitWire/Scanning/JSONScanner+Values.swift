internal import CloudKitModel

/// Field values without their types, as they appear in `value` on the wire and in storage.
extension JSONScanner {
    /// The largest configurable record size in bytes.
    private static let maxRecordBytes = 16 << 20
    /// The maximum number of elements in a list. A longer list would exceed the largest record size, because each
    /// element counts as at least two bytes.
    private static let maxListElements = maxRecordBytes / 2

    /// Scans a value of a known type.
    /// - Throws: A content error if the value has a different type or is out of range.
    mutating func value(as type: FieldType) throws(WireFault) -> FieldValue {
        guard type.isList else { return try single(type.base) }
        guard peek() == UInt8(ascii: "[") else { throw invalidValue(type.wireName) }
        return try list { scanner throws(WireFault) in try scanner.single(type.base) }.of(type.base)
    }

    /// Scans a single value of a known kind.
    mutating func single(_ base: FieldType.Base) throws(WireFault) -> FieldValue {
        switch base {
        case .string: return .string(try plainText())
        case .int64: return .int64(try wholeNumber(base))
        case .double: return .double(try anyNumber())
        case .timestamp: return .timestamp(try wholeNumber(base))
        case .bytes: return .bytes(try base64())
        case .reference: return .reference(try reference())
        case .asset: return .asset(try asset())
        case .location: return .location(try location())
        case .number: return try numberOfEitherKind()
        }
    }

    /// Scans a value whose type is inferred from its JSON. The type of a dictionary is inferred from its keys, and that
    /// of a list from its elements.
    mutating func inferredValue() throws(WireFault) -> FieldValue {
        switch peek() {
        case UInt8(ascii: "\""): return try single(.string)
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return try single(.int64)
        case UInt8(ascii: "{"): return try single(baseOfDictionary())
        case UInt8(ascii: "["): return try inferredList()
        default: return try numberOfEitherKind()
        }
    }

    /// Scans a number: INT64 if it is written without a fraction or exponent, otherwise DOUBLE. An integer that exceeds
    /// 64 bits is also DOUBLE, because it comes from a client whose only number type is a double.
    private mutating func numberOfEitherKind() throws(WireFault) -> FieldValue {
        let number = try number()
        if number.isWhole, let value = number.int64 { return .int64(value) }
        return .double(try double(number))
    }

    private mutating func inferredList() throws(WireFault) -> FieldValue {
        let elements = try list { scanner throws(WireFault) in
            guard scanner.peek() != UInt8(ascii: "[") else { throw scanner.unexpectedInput() }
            return try scanner.inferredValue()
        }
        guard let base = elements.first?.type?.base else { return .list([], of: nil) }
        if elements.allSatisfy({ $0.type?.base == base }) { return elements.of(base) }
        // If a list contains doubles, its integers are converted to doubles too.
        let doubles = elements.compactMap { element -> FieldValue? in
            switch element {
            case .double: element
            case .int64(let value): Double(exactly: value).map(FieldValue.double)
            default: nil
            }
        }
        guard doubles.count == elements.count else {
            throw .content(ServerError(.mixedList, "The elements of a list must be of one type"))
        }
        return doubles.of(.double)
    }

    private mutating func list(
        _ element: (inout JSONScanner) throws(WireFault) -> FieldValue
    ) throws(WireFault) -> [FieldValue] {
        var elements: [FieldValue] = []
        try open(UInt8(ascii: "["))
        var isFirst = true
        while try nextElement(isFirst: &isFirst) {
            guard elements.count < Self.maxListElements else {
                throw .content(.recordTooLarge(limit: Self.maxRecordBytes, actual: 2 * (elements.count + 1)))
            }
            elements.append(try element(&self))
        }
        return elements
    }

    /// Infers the kind of the dictionary at the cursor from its keys.
    private mutating func baseOfDictionary() throws(WireFault) -> FieldType.Base {
        let start = (position, depth)
        defer { (position, depth) = start }
        var base: FieldType.Base?
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "recordName") {
                base = .reference
            } else if matches(key, "latitude") || matches(key, "longitude") {
                base = .location
            } else if matches(key, "fileChecksum") || matches(key, "receipt") || matches(key, "downloadURL") {
                base = .asset
            }
            try skipValue()
        }
        guard let base else { throw Self.unexpectedInput }
        return base
    }

    /// Returns the error for a value at the cursor that is not JSON or not of the expected type.
    mutating func invalidValue(_ expected: String) -> WireFault {
        let isList = peek() == UInt8(ascii: "[")
        return syntaxFault()
            ?? .content(isList ? .listForScalar(expected: expected) : .invalidValue(expected: expected, field: nil))
    }

    /// Returns the error for a value at the cursor that is not JSON or has a type that cannot be inferred.
    mutating func unexpectedInput() -> WireFault { syntaxFault() ?? Self.unexpectedInput }

    private static let unexpectedInput = WireFault.content(
        ServerError(.unexpectedInput, "BadRequestException: Unexpected input"))
}

extension [FieldValue] {
    fileprivate func of(_ base: FieldType.Base) -> FieldValue { .list(self, of: base) }
}

// MARK: - Scalars

extension JSONScanner {
    private mutating func plainText() throws(WireFault) -> String {
        guard peek() == UInt8(ascii: "\"") else { throw invalidValue("STRING") }
        return try text(stringToken())
    }

    /// Scans an integer or a boolean. An integer may be in quotes, because clients that request numbers as strings also
    /// send them as strings.
    private mutating func wholeNumber(_ base: FieldType.Base) throws(WireFault) -> Int64 {
        let start = position
        switch peek() {
        case UInt8(ascii: "t") where base == .int64:
            try literal("true")
            return 1
        case UInt8(ascii: "f") where base == .int64:
            try literal("false")
            return 0
        case UInt8(ascii: "\""):
            if let number = try quotedNumber(), let value = number.int64 { return value }
        default:
            guard isAtNumber else { break }
            if let value = try number().int64 { return value }
        }
        position = start
        throw invalidValue("\(base.wireName)")
    }

    private mutating func anyNumber() throws(WireFault) -> Double {
        if isAtNumber { return try double(number()) }
        let start = position
        if peek() == UInt8(ascii: "\""), let number = try quotedNumber() { return try double(number) }
        position = start
        throw invalidValue("DOUBLE")
    }

    /// Scans a string that contains only a number. Skips any other string and returns nil.
    private mutating func quotedNumber() throws(WireFault) -> JSONNumber? {
        let token = try stringToken()
        let end = position
        guard !token.isEscaped, token.count > 0 else { return nil }
        position = token.start
        defer { position = end }
        guard isAtNumber, let number = try? number(), position == token.start + token.count else { return nil }
        return number
    }

    private mutating func base64() throws(WireFault) -> [UInt8] {
        let start = position
        if peek() == UInt8(ascii: "\"") {
            let token = try stringToken()
            if token.isEscaped {
                // Some encoders write a slash as `\/`.
                var text = try text(token)
                if let bytes = text.withUTF8({ Base64.decode($0) }) { return bytes }
            } else if let bytes = Base64.decode(
                UnsafeBufferPointer(start: base + token.start, count: token.count))
            {
                return bytes
            }
        }
        position = start
        throw invalidValue("BYTES")
    }
}
