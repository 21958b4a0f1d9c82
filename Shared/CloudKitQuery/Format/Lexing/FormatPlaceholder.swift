/// A placeholder in a format, for callers that receive arguments as text and must convert each to the right type.
package enum FormatPlaceholder: Hashable, Sendable {
    /// A value or null: `%@`.
    case value
    /// The name of a field: `%K`.
    case keyPath
    /// A string: `%s`, `%S`.
    case text
    /// An integer: `%d` and similar conversions, including octal and hexadecimal ones.
    case integer
    /// A number: `%f` and similar conversions.
    case real

    /// Returns the placeholders of `format` in order, up to the first invalid token.
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
