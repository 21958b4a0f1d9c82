/// An element of an XML document, without attributes. Names have no namespace prefixes.
///
/// S3's responses use about a dozen kinds of elements and no mixed content. Foundation's `XMLParser` would add libxml2
/// and ICU's data (30 MB) to the image, and is too permissive. This parser rejects document types, custom entities and
/// unclosed elements.
struct S3Document: Sendable, Equatable {
    let name: String
    var text = ""
    var children: [S3Document] = []

    /// Parses a document; returns nil if it is not well-formed or uses unsupported syntax. Time and memory are
    /// proportional to its length, which the caller limits.
    init?(parsing bytes: some Collection<UInt8>) {
        var reader = DocumentReader(bytes)
        guard let root = reader.document() else { return nil }
        self = root
    }

    fileprivate init(name: String) { self.name = name }

    /// The text of the first child with this name.
    subscript(_ name: String) -> String? { children.first { $0.name == name }?.text }

    /// Returns the children with this name.
    func all(_ name: String) -> [S3Document] { children.filter { $0.name == name } }
}

private struct DocumentReader {
    private static let maxDepth = 16
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

    mutating func document() -> S3Document? {
        _ = take("\u{FEFF}")
        guard skipMisc(), take("<"), let root = element(depth: 1), skipMisc(), index == bytes.count else { return nil }
        return root
    }

    /// Parses the rest of an element, after its `<`.
    private mutating func element(depth: Int) -> S3Document? {
        guard depth <= Self.maxDepth, let name = name(), let isEmpty = attributes() else { return nil }
        var element = S3Document(name: Self.local(name))
        if isEmpty { return element }
        var text: [UInt8] = []
        while index < bytes.count {
            let start = index
            while index < bytes.count, bytes[index] != UInt8(ascii: "<"), bytes[index] != UInt8(ascii: "&") {
                index += 1
            }
            text += bytes[start..<index]
            if take("</") {
                guard self.name() == name else { return nil }
                skipSpace()
                guard take(">"), let string = String(validating: text, as: UTF8.self) else { return nil }
                element.text = string
                return element
            } else if take("<!--") {
                guard skip(to: "-->") else { return nil }
            } else if take("<") {
                guard let child = self.element(depth: depth + 1) else { return nil }
                element.children.append(child)
            } else if take("&") {
                guard let character = entity() else { return nil }
                text += character
            }
        }
        return nil
    }

    /// Skips attributes and the end of the tag. Returns true if the element is empty, and nil if the syntax is invalid.
    private mutating func attributes() -> Bool? {
        while true {
            skipSpace()
            if take("/>") { return true }
            if take(">") { return false }
            guard name() != nil else { return nil }
            skipSpace()
            guard take("=") else { return nil }
            skipSpace()
            guard let quote = take("\"") ? "\"" : take("'") ? "'" : nil, skip(to: quote) else { return nil }
        }
    }

    /// Parses the rest of an entity, after its `&`.
    private mutating func entity() -> [UInt8]? {
        for (name, character) in [("lt;", "<"), ("gt;", ">"), ("amp;", "&"), ("quot;", "\""), ("apos;", "'")] {
            if take(name) { return Array(character.utf8) }
        }
        guard take("#") else { return nil }
        let radix = take("x") ? 16 : 10
        guard let end = bytes[index...].prefix(9).firstIndex(of: UInt8(ascii: ";")),
            let number = UInt32(String(decoding: bytes[index..<end], as: UTF8.self), radix: radix),
            let scalar = Unicode.Scalar(number), number != 0
        else { return nil }
        index = end + 1
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func name() -> String? {
        let start = index
        while index < bytes.count, Self.isOfName(bytes[index]) { index += 1 }
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }

    private static func local(_ name: String) -> String { name.split(separator: ":").last.map(String.init) ?? name }

    /// Skips spaces, comments and the declaration. Returns false if one of them is not terminated.
    private mutating func skipMisc() -> Bool {
        while true {
            skipSpace()
            if take("<!--") {
                guard skip(to: "-->") else { return false }
            } else if take("<?") {
                guard skip(to: "?>") else { return false }
            } else {
                return true
            }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private mutating func skipSpace() {
        while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
    }

    /// Skips everything up to and including the next `end`. Returns false if there is none.
    private mutating func skip(to end: String) -> Bool {
        while index < bytes.count {
            if take(end) { return true }
            index += 1
        }
        return false
    }

    private mutating func take(_ text: String) -> Bool {
        var end = index
        for byte in text.utf8 {
            guard end < bytes.count, bytes[end] == byte else { return false }
            end += 1
        }
        index = end
        return true
    }
}
