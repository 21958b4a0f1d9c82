package import CloudKitModel

/// Any JSON value, as a tree: for requests that are rare and for reading what has no type of its own.
package enum JSONValue: Hashable, Sendable {
    /// One key of an object with its value.
    package struct Member: Hashable, Sendable {
        /// The key.
        package var key: String
        /// The value.
        package var value: JSONValue

        /// A member.
        package init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    case null
    case bool(Bool)
    /// A whole number of 64 bits.
    case int(Int64)
    /// Any other number.
    case double(Double)
    case string(String)
    case array([JSONValue])
    /// Members in the order they were written.
    case object([Member])

    /// Reads a text; an empty one is an empty object.
    /// - Throws: `BAD_REQUEST` if it is not JSON, or repeats a key in an object.
    package init(parsing text: [UInt8]) throws(ServerError) {
        self = try JSONScanner.scan(text) { scanner throws(WireFault) in try scanner.tree() }
    }

    /// Reads a text; an empty one is an empty object.
    /// - Throws: `BAD_REQUEST` if it is not JSON, or repeats a key in an object.
    package init(parsing text: String) throws(ServerError) { try self.init(parsing: Array(text.utf8)) }

    /// Reads one member of the object that a text holds, and passes over everything else; nil when there is no such member.
    /// - Throws: `BAD_REQUEST` if the text is no JSON object.
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

    /// The value as text.
    package func encoded() -> [UInt8] {
        var writer = WireWriter()
        writer.value(self)
        return writer.bytes
    }

    /// The value of `key`; nil if there is none, or this is no object.
    package subscript(_ key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The element at `index`; nil if there is none, or this is no array.
    package subscript(_ index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The text, if this is one.
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The whole number, if this is one.
    package var int: Int64? { if case .int(let value) = self { value } else { nil } }
    /// The boolean, if this is one.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The number, if this is one, whole or not.
    package var double: Double? {
        switch self {
        case .double(let value): value
        case .int(let value): Double(value)
        default: nil
        }
    }
    /// The elements, if this is an array.
    package var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members, if this is an object.
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
    /// Writes a tree.
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
    /// Passes a value of any kind and returns it.
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
