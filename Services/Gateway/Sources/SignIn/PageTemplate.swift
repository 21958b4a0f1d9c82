/// HTML with placeholders: `{{name}}` for text, which is escaped, and `{{&name}}` for HTML.
struct PageTemplate: Sendable {
    private enum Piece: Sendable {
        case html(String)
        case text(String)
        case fragment(String)
    }

    private let pieces: [Piece]

    /// Parses a template.
    init(_ bytes: [UInt8]) {
        var (pieces, rest) = ([Piece](), String(decoding: bytes, as: UTF8.self)[...])
        while let start = rest.firstRange(of: "{{"), let end = rest[start.upperBound...].firstRange(of: "}}") {
            pieces.append(.html(String(rest[..<start.lowerBound])))
            let name = rest[start.upperBound..<end.lowerBound]
            pieces.append(name.first == "&" ? .fragment(String(name.dropFirst())) : .text(String(name)))
            rest = rest[end.upperBound...]
        }
        self.pieces = pieces + [.html(String(rest))]
    }

    /// Returns the template with its placeholders replaced. A placeholder without a value becomes empty.
    func filled(_ values: [String: String]) -> String {
        var html = ""
        for piece in pieces {
            switch piece {
            case .html(let text): html += text
            case .text(let name): html += Self.escaped(values[name] ?? "")
            case .fragment(let name): html += values[name] ?? ""
            }
        }
        return html
    }

    /// Returns text escaped for use in an element or a quoted attribute.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
