/// What is put into one place of a format: for who writes arguments as text, and has to know of what kind each is.
package enum FormatPlaceholder: Hashable, Sendable {
    /// A value or none: `%@`.
    case value
    /// The name of a field: `%K`.
    case keyPath
    /// A text: `%s`, `%S`.
    case text
    /// A whole number: `%d` and the like, octal and hexadecimal ones too.
    case integer
    /// A number: `%f` and the like.
    case real

    /// The places of `format`, in order, up to the first piece that is none of a format.
    package static func places(in format: String) -> [FormatPlaceholder] {
        var places: [FormatPlaceholder] = []
        var lexer = FormatLexer(format)
        while let token = try? lexer.next(), token.kind != .end {
            if token.kind == .placeholder, let conversion = token.spelling.last {
                places.append(FormatPlaceholder(conversion))
            }
        }
        return places
    }

    private init(_ conversion: Character) {
        switch conversion {
        case "@": self = .value
        case "K": self = .keyPath
        case "s", "S": self = .text
        case "f", "F", "e", "E", "g", "G", "a", "A": self = .real
        default: self = .integer
        }
    }
}
