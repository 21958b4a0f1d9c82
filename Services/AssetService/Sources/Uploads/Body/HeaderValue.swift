/// A header value with parameters: `multipart/form-data; boundary="x"`.
struct HeaderValue: Sendable {
    /// The value without the parameters, in lower case.
    let name: String
    /// The parameters, keyed by name in lower case. If a name is repeated, the first parameter is used.
    let parameters: [String: String]

    /// Parses a value; nil if its name is empty or a parameter contains an unterminated quoted string.
    init?(_ text: String) {
        var rest = text[...]
        let name = Self.readToken(&rest)
        guard !name.isEmpty else { return nil }
        self.name = name.lowercased()
        var parameters: [String: String] = [:]
        while rest.first == ";" {
            rest.removeFirst()
            let key = Self.readToken(&rest, endingAlsoAt: "=").lowercased()
            guard rest.first == "=" else { continue }
            rest.removeFirst()
            guard let value = rest.first == "\"" ? Self.readQuoted(&rest) : Self.readToken(&rest) else { return nil }
            if parameters[key] == nil { parameters[key] = value }
        }
        self.parameters = parameters
    }

    private static func readToken(_ rest: inout Substring, endingAlsoAt end: Character = ";") -> String {
        let token = rest.prefix { $0 != ";" && $0 != end }
        rest = rest[token.endIndex...]
        return token.split(separator: " ").joined(separator: " ")
    }

    private static func readQuoted(_ rest: inout Substring) -> String? {
        rest.removeFirst()
        var value = ""
        while let character = rest.popFirst() {
            switch character {
            case "\"": return value
            case "\\": if let escaped = rest.popFirst() { value.append(escaped) }
            default: value.append(character)
            }
        }
        return nil
    }
}
