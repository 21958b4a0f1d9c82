import CloudKitWire
import TestGenerators

/// The text of a value in which one member has a fault. The text need not be valid JSON.
struct HostileJSON {
    /// The change to the member.
    private enum Change {
        case removed
        /// It is replaced by bytes.
        case replaced([UInt8])
        /// It is repeated: an object has the key twice, or an array has the element many times.
        case repeated([[UInt8]])
    }

    /// The maximum size of a body with many entries, in bytes.
    private static let maxEntriesBytes = 12 << 20

    private(set) var bytes: [UInt8] = []

    /// Creates the text of `value` with a fault in the member at `path`.
    init(_ value: JSONValue, at path: [HostilePlace.Step], _ kind: HostileKind, _ generator: inout SeededGenerator) {
        let change = Self.change(kind, Self.value(in: value, at: path[...]), path.last, &generator)
        write(value, path[...], change)
    }

    private mutating func write(_ value: JSONValue, _ path: ArraySlice<HostilePlace.Step>, _ change: Change) {
        guard let step = path.first else {
            if case .replaced(let new) = change { bytes += new } else { bytes += value.encoded() }
            return
        }
        let isLast = path.count == 1
        switch (value, step) {
        case (.object(let members), .key(let key)):
            list("{", "}", members) { writer, member in
                let name = JSONValue.string(member.key).encoded() + Array(":".utf8)
                guard member.key == key else { return [name + member.value.encoded()] }
                guard isLast else { return [name + writer.inner(member.value, path.dropFirst(), change)] }
                switch change {
                case .removed: return []
                case .replaced(let new): return [name + new]
                case .repeated(let values): return values.map { name + $0 }
                }
            }
        case (.array(let elements), .index(let index)):
            list("[", "]", Array(elements.enumerated())) { writer, element in
                guard element.offset == index else { return [element.element.encoded()] }
                guard isLast else { return [writer.inner(element.element, path.dropFirst(), change)] }
                switch change {
                case .removed: return []
                case .replaced(let new): return [new]
                case .repeated(let values): return values
                }
            }
        default: bytes += value.encoded()
        }
    }

    private func inner(_ value: JSONValue, _ path: ArraySlice<HostilePlace.Step>, _ change: Change) -> [UInt8] {
        var writer = self
        writer.bytes = []
        writer.write(value, path, change)
        return writer.bytes
    }

    private mutating func list<Element>(
        _ open: String, _ close: String, _ elements: [Element], _ texts: (HostileJSON, Element) -> [[UInt8]]
    ) {
        // Arrays are appended, because a lazy sequence of megabytes takes seconds in a debug build.
        bytes += Array(open.utf8)
        var isFirst = true
        for element in elements {
            for text in texts(self, element) {
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                bytes += text
                isFirst = false
            }
        }
        bytes += Array(close.utf8)
    }

    private static func value(in value: JSONValue, at path: ArraySlice<HostilePlace.Step>) -> JSONValue {
        switch path.first {
        case nil: value
        case .key(let key): self.value(in: value[key] ?? nil, at: path.dropFirst())
        case .index(let index): self.value(in: value[index] ?? nil, at: path.dropFirst())
        }
    }

    private static func change(
        _ kind: HostileKind, _ value: JSONValue, _ last: HostilePlace.Step?, _ generator: inout SeededGenerator
    ) -> Change {
        let own = value.encoded()
        switch kind {
        case .missing: return .removed
        case .repeated:
            if case .index = last { return .repeated(Array(repeating: own, count: [2, 300, 3000].drawn(&generator))) }
            return .repeated(
                Bool.random(using: &generator) ? [own, own] : [own, Array(otherTypes(value).drawn(&generator).utf8)])
        case .null: return .replaced(Array("null".utf8))
        case .wrongType: return .replaced(Array(otherTypes(value).drawn(&generator).utf8))
        case .manyEntries: return .replaced(entries(value, &generator))
        case .depth:
            let count = [65, 1000, 100_000].drawn(&generator)
            let (open, close) = Bool.random(using: &generator) ? ("[", "]") : (#"{"a":"#, "}")
            let text =
                String(repeating: open, count: count) + (open == "[" ? "" : "1")
                + String(repeating: close, count: count)
            return .replaced(Array(text.utf8))
        default:
            let text = HostileText.json(kind, &generator)
            guard case .object(let members) = value, kind != .hugeNumber, Bool.random(using: &generator) else {
                return .replaced(text)
            }
            // The text is a key in addition to the others.
            let rest = members.flatMap { [UInt8(ascii: ",")] + JSONValue.object([$0]).encoded().dropFirst().dropLast() }
            return .replaced(Array("{".utf8) + text + Array(":1".utf8) + rest + Array("}".utf8))
        }
    }

    private static func otherTypes(_ value: JSONValue) -> [String] {
        let own: String =
            switch value {
            case .null: "null"
            case .bool: "true"
            case .int, .double: "1"
            case .string: #""text""#
            case .array: "[]"
            case .object: "{}"
            }
        return ["true", "1", "-1.5", #""text""#, "[]", "{}", "[[]]", #"[{"value":null}]"#, #"{"value":{}}"#]
            .filter { $0 != own }
    }

    /// Returns a million entries, or as many as fit.
    private static func entries(_ value: JSONValue, _ generator: inout SeededGenerator) -> [UInt8] {
        if case .object = value, Bool.random(using: &generator) { return millionMembers }
        let one = String(
            decoding: (Bool.random(using: &generator) ? value[0] ?? value : .int(0)).encoded(), as: UTF8.self)
        let count = min(1_000_000, maxEntriesBytes / (one.utf8.count + 1))
        return Array("[\(String(repeating: "\(one),", count: count - 1))\(one)]".utf8)
    }

    private static let millionMembers = Array(
        "{\((0..<1_000_000).map { #""\#(String($0, radix: 36))":1"# }.joined(separator: ","))}".utf8)
}

extension Array {
    /// Returns a random element. There must be at least one.
    func drawn(_ generator: inout SeededGenerator) -> Element { self[Int.random(in: indices, using: &generator)] }
}
