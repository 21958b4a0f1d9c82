internal import CloudKitModel

/// The `fields` of a record dictionary.
extension JSONScanner {
    /// Scans a `fields` object and returns its fields in their original order.
    /// - Parameters:
    ///   - expected: The number of fields to reserve capacity for.
    ///   - checksNames: Whether to validate names. False for replies, because a later version of the server may allow
    ///     other names.
    mutating func fields(expected: Int, checksNames: Bool) throws(WireFault) -> [WireField] {
        guard peek() == UInt8(ascii: "{") else { throw wrongKind("fields", "a dictionary") }
        var fields: [WireField] = []
        fields.reserveCapacity(expected)
        // Used only after the first 16 fields, because comparing a few names is faster than hashing.
        var seen: Set<String> = []
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            let name = try text(key)
            if checksNames { try checkFieldName(name) }
            let isRepeated =
                fields.count < 16 ? fields.contains { $0.name == name } : seen.contains(name)
            if isRepeated {
                throw .content(ServerError(.fieldRepeated, "The field '\(name)' occurs twice", field: name))
            }
            do {
                fields.append(try field(named: name))
            } catch {
                throw error.within(field: name)
            }
            if fields.count == 16 { seen = Set(fields.map(\.name)) } else if fields.count > 16 { seen.insert(name) }
        }
        return fields
    }

    private func checkFieldName(_ name: String) throws(WireFault) {
        do {
            // Whether the name may contain dots depends on the record's type, which may follow the fields.
            _ = try FieldName(validatingOfShare: name)
        } catch {
            throw .content(ServerError(error, field: name))
        }
    }

    /// Scans a field value dictionary. `value` may precede `type`, which determines how the value is interpreted. The
    /// value is therefore skipped first, and decoded once the end of the dictionary is reached. Null, `{}` and a null
    /// `value` clear the field.
    ///
    /// - Parameter listsElements: Whether to accept a list that is declared with the type of its elements. Clients
    ///   declare lists in filters this way.
    mutating func field(named name: String, listsElements: Bool = false) throws(WireFault) -> WireField {
        if try skipNull() { return WireField(name: name, value: nil) }
        guard peek() == UInt8(ascii: "{") else { throw unexpectedInput() }
        var valuePosition: Int?
        var type: FieldType?
        var isUntypedList = false
        var isEncrypted = false
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "value") {
                valuePosition = peek() == UInt8(ascii: "n") ? nil : position
                try skipValue()
            } else if matches(key, "type") {
                (type, isUntypedList) = try fieldType()
            } else if matches(key, "isEncrypted") {
                isEncrypted = try optionalBool("isEncrypted") ?? false
            } else {
                try skipValue()
            }
        }
        if isEncrypted { type?.isEncrypted = true }
        guard let valuePosition else {
            return WireField(name: name, value: nil, declaredType: type, isEncrypted: isEncrypted)
        }
        let end = position
        position = valuePosition
        defer { position = end }
        if isUntypedList, peek() != UInt8(ascii: "[") { throw invalidValue("LIST") }
        if listsElements, peek() == UInt8(ascii: "[") { type?.isList = true }
        let value = if let type { try self.value(as: type) } else { try inferredValue() }
        return WireField(name: name, value: value, declaredType: type, isEncrypted: isEncrypted)
    }

    /// Scans the `type` of a field value dictionary: the name of a type, or a word that denotes a list of any type.
    private mutating func fieldType() throws(WireFault) -> (FieldType?, isUntypedList: Bool) {
        if try skipNull() { return (nil, false) }
        guard peek() == UInt8(ascii: "\"") else { throw wrongKind("type", "a type name") }
        let token = try stringToken()
        if let type = wellKnownType(token) { return (type, false) }
        let name = try text(token)
        if let type = FieldType(wireName: name) { return (type, false) }
        guard FieldType.isUntypedList(name) else {
            throw .content(ServerError(.unknownType, "Unknown field type '\(name)'"))
        }
        return (nil, true)
    }

    /// Returns the type whose name in replies is `token`; nil for other names. Nearly all clients send these names.
    /// Does not create a string.
    private func wellKnownType(_ token: Token) -> FieldType? {
        guard !token.isEscaped else { return nil }
        var element = token
        element.count -= "_LIST".utf8.count
        let suffix = Token(start: token.start + element.count, count: token.count - element.count, isEscaped: false)
        let isList = element.count > 0 && matches(suffix, "_LIST")
        for base in FieldType.Base.ofValues where matches(isList ? element : token, base.wireName) {
            return FieldType(base, isList: isList)
        }
        return nil
    }
}
