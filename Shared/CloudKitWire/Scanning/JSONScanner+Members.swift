internal import CloudKitModel

/// Values of known keys. Null is equivalent to an absent key.
extension JSONScanner {
    /// Scans a string. Returns nil for null.
    /// - Parameter key: The key's name, for error messages.
    mutating func optionalString(_ key: StaticString) throws(WireFault) -> String? {
        if try skipNull() { return nil }
        guard peek() == UInt8(ascii: "\"") else { throw wrongKind(key, "a string") }
        do {
            return try text(stringToken())
        } catch {
            throw error.within(field: key.description)
        }
    }

    /// Scans a boolean. Returns nil for null.
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

    /// Scans an integer. Returns nil for null.
    mutating func optionalInt64(_ key: StaticString) throws(WireFault) -> Int64? {
        if try skipNull() { return nil }
        guard isAtNumber else { throw wrongKind(key, "a whole number") }
        guard let value = try number().int64 else { throw readWrongKind(key, "a whole number") }
        return value
    }

    /// Scans a maximum number of results. Returns nil for null, and for 0, which native clients send to request the
    /// server's maximum.
    mutating func optionalResultsLimit() throws(WireFault) -> Int? {
        guard let limit = try optionalInt64("resultsLimit"), limit != 0 else { return nil }
        guard limit > 0 else { throw readWrongKind("resultsLimit", "a positive number") }
        return Int(limit)
    }

    /// Scans a list of strings. Returns nil for null. A single string is accepted as a list of one.
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

    /// Scans a zone ID. Returns nil for null. Names are not validated, because an invalid name simply does not match
    /// any zone.
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

    /// Returns the named owner, or nil for the values that clients use to denote the requesting user.
    private static func owner(named name: String?) -> UserName? {
        switch name {
        case nil, "", "__defaultOwner__", "_defaultOwner": nil
        case .some(let name): UserName(unchecked: name)
        }
    }

    /// Scans an array's elements. A single object is treated as an array of one, and null as an empty array.
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

    /// Whether the next value is a number.
    var isAtNumber: Bool {
        mutating get {
            guard let byte = peek() else { return false }
            return byte == UInt8(ascii: "-") || byte &- UInt8(ascii: "0") < 10
        }
    }

    /// Returns the error for a value that has been read and is not valid for `key`.
    private func readWrongKind(_ key: StaticString, _ expected: StaticString) -> WireFault {
        .content(.wrongKind(key.description, expected: expected.description))
    }

    /// Returns the error for a value at the cursor that is not JSON or not of the type that `key` requires.
    mutating func wrongKind(_ key: StaticString, _ expected: StaticString) -> WireFault {
        syntaxFault() ?? .content(.wrongKind(key.description, expected: expected.description))
    }

    /// Returns the syntax error in the value at the cursor; nil if there is none. Does not move the cursor.
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
