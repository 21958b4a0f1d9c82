package import CloudKitWire

extension JSONValue {
    /// Encodes a value. The members of an object keep the order in which they were encoded. Synthesized conformances
    /// encode properties in the order of their declarations and omit those that are nil. (Foundation's `JSONEncoder`
    /// does not preserve the order.)
    ///
    /// - Precondition: the value's `encode(to:)` does not throw. Synthesized conformances do not throw.
    package init(encoding value: some Encodable) {
        let encoder = JSONTreeEncoder()
        do {
            try encoder.set(value)
        } catch {
            preconditionFailure("\(type(of: value)) cannot be encoded: \(error)")
        }
        self = encoder.tree
    }
}

/// Collects the output from encoding one value: a leaf, the elements of an array, or the members of an object.
private final class JSONTreeEncoder: Encoder {
    private enum Kind {
        case leaf(JSONValue)
        case array
        case object
    }

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private var kind = Kind.leaf(.null)
    /// The elements of an array, or the members of an object. Only members have keys.
    private var children: [(key: String, encoder: JSONTreeEncoder)] = []

    var tree: JSONValue {
        switch kind {
        case .leaf(let value): value
        case .array: .array(children.map(\.encoder.tree))
        case .object: .object(children.map { JSONValue.Member($0.key, $0.encoder.tree) })
        }
    }

    func set(_ value: some Encodable) throws {
        switch value {
        case let value as JSONValue: kind = .leaf(value)
        case let value as String: kind = .leaf(.string(value))
        case let value as Bool: kind = .leaf(.bool(value))
        case let value as any BinaryInteger: kind = .leaf(.int(Int64(value)))
        case let value as any BinaryFloatingPoint: kind = .leaf(.double(Double(value)))
        default: try value.encode(to: self)
        }
    }

    private func setNull() { kind = .leaf(.null) }

    private func add(_ key: String = "") -> JSONTreeEncoder {
        let child = JSONTreeEncoder()
        children.append((key, child))
        return child
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        kind = .object
        return KeyedEncodingContainer(Members(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        kind = .array
        return Elements(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Leaf(encoder: self) }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: JSONTreeEncoder
        let codingPath: [any CodingKey] = []

        func encodeNil(forKey key: Key) { encoder.add(key.stringValue).setNull() }
        func encode(_ value: some Encodable, forKey key: Key) throws { try encoder.add(key.stringValue).set(value) }
        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
            -> KeyedEncodingContainer<Nested>
        { encoder.add(key.stringValue).container(keyedBy: type) }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.add(key.stringValue).unkeyedContainer()
        }
        func superEncoder() -> any Encoder { encoder.add("super") }
        func superEncoder(forKey key: Key) -> any Encoder { encoder.add(key.stringValue) }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let encoder: JSONTreeEncoder
        let codingPath: [any CodingKey] = []
        var count: Int { encoder.children.count }

        func encodeNil() { encoder.add().setNull() }
        func encode(_ value: some Encodable) throws { try encoder.add().set(value) }
        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            encoder.add().container(keyedBy: type)
        }
        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.add().unkeyedContainer() }
        func superEncoder() -> any Encoder { encoder.add() }
    }

    private struct Leaf: SingleValueEncodingContainer {
        let encoder: JSONTreeEncoder
        let codingPath: [any CodingKey] = []

        func encodeNil() { encoder.setNull() }
        func encode(_ value: some Encodable) throws { try encoder.set(value) }
    }
}
