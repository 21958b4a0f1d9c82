package import CloudKitModel

/// A JSON value as a tree, for rare requests and for input that has no specific type in this module.
package enum JSONValue: Hashable, Sendable {
    /// A key and its value in an object.
    package struct Member: Hashable, Sendable {
        /// The key.
        package var key: String
        /// The value.
        package var value: JSONValue

        /// Creates a member.
        package init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    case null
    case bool(Bool)
    /// A 64-bit integer.
    case int(Int64)
    /// Any other number.
    case double(Double)
    case string(String)
    case array([JSONValue])
    /// The members in their original order.
    case object([Member])

    /// Parses JSON text. Empty text is read as an empty object.
    /// - Throws: `BAD_REQUEST` if the text is not JSON, or if an object contains a key twice.
    package init(parsing text: [UInt8]) throws(ServerError) {
        self = try JSONScanner.scan(text) { scanner throws(WireFault) in try scanner.tree() }
    }

    /// Parses JSON text. Empty text is read as an empty object.
    /// - Throws: `BAD_REQUEST` if the text is not JSON, or if an object contains a key twice.
    package init(parsing text: String) throws(ServerError) { try self.init(parsing: Array(text.utf8)) }

    /// Parses one member of a JSON object and skips all others; returns nil if the member is missing.
    /// - Throws: `BAD_REQUEST` if the text is not a JSON object.
    package init?(member key: StaticString, of text: [UInt8]) throws(ServerError) {
        let value = try JSONScanner.scan(text) { scanner throws(WireFault) in
            var value: JSONValue?
            try scanner.open(UInt8(ascii: "{"))
            var isFirst = true
            while let token = try scanner.nextKey(isFirst: &isFirst) {
                if scanner.matches(token, key) { value = try scanner.tree() } else { try scanner.skipValue() }
            }
            return value
        }
        guard let value else { return nil }
        self = value
    }

    /// Returns the value as JSON text.
    package func encoded() -> [UInt8] {
        var writer = WireWriter()
        writer.value(self)
        return writer.bytes
    }

    /// The value of `key`; nil if the key is missing or this is not an object.
    package subscript(_ key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The element at `index`; nil if it is missing or this is not an array.
    package subscript(_ index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The string; nil for other kinds of values.
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The integer; nil for other kinds of values.
    package var int: Int64? { if case .int(let value) = self { value } else { nil } }
    /// The boolean; nil for other kinds of values.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The number as a double, even if it is an integer; nil for other kinds of values.
    package var double: Double? {
        switch self {
        case .double(let value): value
        case .int(let value): Double(value)
        default: nil
        }
    }
    /// The elements of an array; nil for other kinds of values.
    package var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members of an object; nil for other kinds of values.
    package var members: [Member]? { if case .object(let value) = self { value } else { nil } }
    /// Whether this is null.
    package var isNull: Bool { self == .null }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(floatLiteral value: Double) { self = .double(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
    package init(nilLiteral: ()) { self = .null }
}

extension WireWriter {
    /// Writes a JSON tree.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .int(let value): int(value)
        case .double(let value): double(value)
        case .string(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for member in members {
                key(member.key)
                self.value(member.value)
            }
            endObject()
        }
    }
}

extension JSONScanner {
    /// Scans a value of any kind.
    mutating func tree() throws(WireFault) -> JSONValue {
        switch peek() {
        case UInt8(ascii: "\""): return .string(try text(stringToken()))
        case UInt8(ascii: "{"): return .object(try members())
        case UInt8(ascii: "["):
            var elements: [JSONValue] = []
            try open(UInt8(ascii: "["))
            var isFirst = true
            while try nextElement(isFirst: &isFirst) { elements.append(try tree()) }
            return .array(elements)
        case UInt8(ascii: "t"):
            try literal("true")
            return true
        case UInt8(ascii: "f"):
            try literal("false")
            return false
        case UInt8(ascii: "n"):
            try literal("null")
            return nil
        default:
            let number = try number()
            if number.isWhole, let value = number.int64 { return .int(value) }
            return .double(try double(number))
        }
    }

    private mutating func members() throws(WireFault) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        var seen: Set<String> = []
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let token = try nextKey(isFirst: &isFirst) {
            let key = try text(token)
            guard seen.insert(key).inserted else {
                throw .content(ServerError(.keyRepeated, "The key '\(key)' occurs twice", field: key))
            }
            do {
                members.append(JSONValue.Member(key, try tree()))
            } catch {
                throw error.namesField ? error : error.within(field: key)
            }
        }
        return members
    }
}
