internal import CloudKitModel

/// Values of well-known keys. Every one of them may be null, which reads as absent.
extension JSONScanner {
    /// A string, or nil for null.
    /// - Parameter key: The key's name, for the error.
    mutating func optionalString(_ key: StaticString) throws(WireFault) -> String? {
        if try skipNull() { return nil }
        guard peek() == UInt8(ascii: "\"") else { throw wrongKind(key, "a string") }
        do {
            return try text(stringToken())
        } catch {
            throw error.within(field: key.description)
        }
    }

    /// A boolean, or nil for null.
    mutating func optionalBool(_ key: StaticString) throws(WireFault) -> Bool? {
        if try skipNull() { return nil }
        switch peek() {
        case UInt8(ascii: "t"):
            try literal("true")
            return true
        case UInt8(ascii: "f"):
            try literal("false")
            return false
        default: throw wrongKind(key, "true or false")
        }
    }

    /// A whole number, or nil for null.
    mutating func optionalInt64(_ key: StaticString) throws(WireFault) -> Int64? {
        if try skipNull() { return nil }
        guard isAtNumber else { throw wrongKind(key, "a whole number") }
        guard let value = try number().int64 else { throw readWrongKind(key, "a whole number") }
        return value
    }

    /// A number of results: nil for null and for 0, by which native clients say "as many as you like".
    mutating func optionalResultsLimit() throws(WireFault) -> Int? {
        guard let limit = try optionalInt64("resultsLimit"), limit != 0 else { return nil }
        guard limit > 0 else { throw readWrongKind("resultsLimit", "a positive number") }
        return Int(limit)
    }

    /// A list of strings, or nil for null; a lone string is a list of one.
    mutating func optionalStrings(_ key: StaticString) throws(WireFault) -> [String]? {
        if try skipNull() { return nil }
        guard peek() == UInt8(ascii: "[") else { return [try optionalString(key) ?? ""] }
        var strings: [String] = []
        try open(UInt8(ascii: "["))
        var isFirst = true
        while try nextElement(isFirst: &isFirst) {
            guard let string = try optionalString(key) else { throw readWrongKind(key, "a list of strings") }
            strings.append(string)
        }
        return strings
    }

    /// A zone's identity, or nil for null. Names are taken as they come: one that no zone can have names no zone.
    mutating func optionalZoneID(_ key: StaticString) throws(WireFault) -> ZoneID? {
        if try skipNull() { return nil }
        guard peek() == UInt8(ascii: "{") else { throw wrongKind(key, "a zone ID dictionary") }
        var name: String?
        var owner: String?
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "zoneName") {
                name = try optionalString("zoneName")
            } else if matches(key, "ownerRecordName") || matches(key, "ownerName") {
                owner = try optionalString("ownerRecordName")
            } else {
                try skipValue()
            }
        }
        guard let name else { throw .content(.missingKey("zoneName")) }
        return ZoneID(zoneName: ZoneName(unchecked: name), ownerRecordName: Self.owner(named: owner))
    }

    /// Clients have several ways to say "mine".
    private static func owner(named name: String?) -> UserName? {
        switch name {
        case nil, "", "__defaultOwner__", "_defaultOwner": nil
        case .some(let name): UserName(unchecked: name)
        }
    }

    /// Passes an array's elements, or the one object that stands for an array of one; null is an empty array.
    mutating func elements(
        _ key: StaticString, _ body: (inout JSONScanner) throws(WireFault) -> Void
    ) throws(WireFault) {
        if try skipNull() { return }
        switch peek() {
        case UInt8(ascii: "{"): try body(&self)
        case UInt8(ascii: "["):
            try open(UInt8(ascii: "["))
            var isFirst = true
            while try nextElement(isFirst: &isFirst) { try body(&self) }
        default: throw wrongKind(key, "an array")
        }
    }

    /// Whether a number is next.
    var isAtNumber: Bool {
        mutating get {
            guard let byte = peek() else { return false }
            return byte == UInt8(ascii: "-") || byte &- UInt8(ascii: "0") < 10
        }
    }

    /// The fault of a value of another kind than `key` has, after it was passed.
    private func readWrongKind(_ key: StaticString, _ expected: StaticString) -> WireFault {
        .content(.wrongKind(key.description, expected: expected.description))
    }

    /// The fault of the value at the cursor, which is of another kind than `key` has or not JSON at all.
    mutating func wrongKind(_ key: StaticString, _ expected: StaticString) -> WireFault {
        syntaxFault() ?? .content(.wrongKind(key.description, expected: expected.description))
    }

    /// The fault of the text in the value at the cursor, if there is one.
    mutating func syntaxFault() -> WireFault? {
        let start = (position, depth)
        defer { (position, depth) = start }
        do {
            try skipValue()
            return nil
        } catch {
            return error
        }
    }
}
