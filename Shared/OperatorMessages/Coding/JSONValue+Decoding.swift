package import CloudKitModel
package import CloudKitWire

extension JSONValue {
    /// Decodes a value. A member whose value is null is treated as absent, and unknown members are ignored.
    ///
    /// - Throws: `missing_key` or `wrong_kind`, with the member's key as the field, or a ``ServerError`` thrown by the
    ///   member's type.
    package func decoded<Value: Decodable>(as type: Value.Type, _ wrongKinds: WrongKinds = .refused)
        throws(ServerError) -> Value
    {
        do {
            return try JSONTreeDecoder(value: self, wrongKinds: wrongKinds).decode(type)
        } catch {
            throw error as? ServerError ?? .wrongKind("body", expected: "a dictionary")
        }
    }
}

/// The error for a value of the wrong type. The decoder of the enclosing object adds the key.
private struct TypeMismatch: Error {
    /// A description of the expected type, such as "a string".
    var expected: String
    /// Whether the value is a list that contains an element of the wrong type. Such a list is always refused.
    var isOfElement = false
}

/// Decodes one value. Its members or elements have their own decoders.
private struct JSONTreeDecoder: Decoder, SingleValueDecodingContainer {
    let value: JSONValue
    let wrongKinds: WrongKinds
    /// The key of the value; empty for the elements of an array and for a whole document.
    var codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func decodeNil() -> Bool { value.isNull }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (found, expected): (Any?, String) =
            switch type {
            case is JSONValue.Type: (value, "")
            case is String.Type: (value.string, "a string")
            case is Bool.Type: (value.bool, "true or false")
            case let type as any FixedWidthInteger.Type:
                (value.int.flatMap { type.init(exactly: $0) }, "a whole number")
            case let type as any BinaryFloatingPoint.Type: (value.double.map { type.init($0) }, "a number")
            case is [String].Type: (try strings(), "a list of strings")
            default: (try Value(from: self), "")
            }
        guard let found = found as? Value else { throw TypeMismatch(expected: expected) }
        return found
    }

    private func strings() throws -> [String]? {
        guard let elements = value.array else { return nil }
        let strings = elements.compactMap(\.string)
        guard strings.count == elements.count else {
            throw TypeMismatch(expected: "a list of strings", isOfElement: true)
        }
        return strings
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(JSONMembers(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.array else { throw TypeMismatch(expected: "a list") }
        return JSONElements(decoder: self, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func child(_ value: JSONValue, at key: (any CodingKey)? = nil) -> JSONTreeDecoder {
        JSONTreeDecoder(value: value, wrongKinds: wrongKinds, codingPath: key.map { [$0] } ?? [])
    }
}

/// The members of an object. A value that is not an object has no members.
private struct JSONMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: JSONTreeDecoder
    let codingPath: [any CodingKey] = []
    var allKeys: [Key] { (decoder.value.members ?? []).compactMap { Key(stringValue: $0.key) } }

    func contains(_ key: Key) -> Bool { decoder.value[key.stringValue] != nil }
    func decodeNil(forKey key: Key) -> Bool { decoder.value[key.stringValue]?.isNull ?? true }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        guard let value = try member(type, key) else { throw ServerError.missingKey(key.stringValue) }
        return value
    }

    // The protocol's default implementations for these types call `decode`, which does not ignore wrong types.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try member(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try member(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try member(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try member(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try member(type, key) }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try member(type, key)
    }

    /// Returns the value at a key; nil if the value is missing, is null, or is ignored because it has the wrong type.
    private func member<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
        guard let value = decoder.value[key.stringValue], !value.isNull else { return nil }
        do {
            return try decoder.child(value, at: key).decode(type)
        } catch let error as TypeMismatch {
            guard decoder.wrongKinds == .refused || error.isOfElement else { return nil }
            throw ServerError.wrongKind(key.stringValue, expected: error.expected)
        }
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
        -> KeyedDecodingContainer<Nested>
    { try superDecoder(forKey: key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try superDecoder(forKey: key).unkeyedContainer()
    }
    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) -> any Decoder {
        decoder.child(decoder.value[key.stringValue] ?? .null, at: key)
    }
}

/// The elements of an array, which are decoded in order.
private struct JSONElements: UnkeyedDecodingContainer {
    let decoder: JSONTreeDecoder
    let elements: [JSONValue]
    let codingPath: [any CodingKey] = []
    var currentIndex = 0
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    mutating func decodeNil() -> Bool {
        guard !isAtEnd, elements[currentIndex].isNull else { return false }
        currentIndex += 1
        return true
    }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().decode(type) }
    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
        -> KeyedDecodingContainer<Nested>
    { try next().container(keyedBy: type) }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try next() }

    private mutating func next() throws -> JSONTreeDecoder {
        guard !isAtEnd else { throw TypeMismatch(expected: "a longer list") }
        defer { currentIndex += 1 }
        return decoder.child(elements[currentIndex])
    }
}
