/// The type of a setting: how its text is parsed, and what text is allowed.
package struct SettingType<Value: Sendable>: Sendable {
    /// The type's name in the reference, such as `integer` or `time`.
    let name: String
    /// The allowed range and its unit, for the reference; may be empty.
    let allowed: String
    /// Whether the text is secret.
    let isSecret: Bool
    /// Whether a refusal quotes the text.
    let isQuoted: Bool
    /// Formats a value.
    let text: @Sendable (Value) -> String
    /// Parses text.
    let parse: @Sendable (String) throws(SettingRefusal) -> Value

    /// Creates a type.
    ///
    /// - Parameters:
    ///   - isQuoted: whether a refusal quotes the text. The text of a secret is never quoted.
    ///   - text: formats a default for the reference.
    package init(
        _ name: String, allowed: String = "", isSecret: Bool = false, isQuoted: Bool = true,
        text: @escaping @Sendable (Value) -> String = { "\($0)" },
        parse: @escaping @Sendable (String) throws(SettingRefusal) -> Value
    ) {
        self.name = name
        self.allowed = allowed
        self.isSecret = isSecret
        self.isQuoted = isQuoted && !isSecret
        self.text = text
        self.parse = parse
    }
}

extension SettingType where Value == String {
    /// A type for any text.
    package static var text: Self { SettingType("text") { $0 } }

    /// A type for the path of a file or folder.
    package static var path: Self { SettingType("path") { $0 } }

    /// A type for `http` and `https` URLs. Trailing slashes are removed from the value.
    package static var url: Self {
        SettingType("URL", allowed: "`http://…`, `https://…`") { text throws(SettingRefusal) in
            guard text.hasPrefix("http://") || text.hasPrefix("https://") else {
                throw SettingRefusal("must begin with http:// or https://")
            }
            var url = text
            while url.hasSuffix("/") { url.removeLast() }
            return url
        }
    }

    /// A type for names in PostgreSQL, such as those of roles. A name consists of ASCII letters, digits and `_`.
    package static var postgresName: Self {
        SettingType("name", allowed: "at most 63 letters, digits, `_`") { text throws(SettingRefusal) in
            let isGood = text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
            guard isGood, text.utf8.count <= 63 else {
                throw SettingRefusal("must consist of at most 63 letters, digits and _")
            }
            return text
        }
    }
}

extension SettingType where Value == Secret {
    /// A type for any secret text.
    package static var secret: Self { SettingType("text", isSecret: true) { Secret($0) } }
}

extension SettingType where Value == Bool {
    /// A type for `true` or `false`. A command-line option without a value is `true`.
    package static var flag: Self {
        SettingType("flag", allowed: "`true`, `false`") { text throws(SettingRefusal) in
            switch text {
            case "true", "1", "yes", "on": return true
            case "false", "0", "no", "off": return false
            default: throw SettingRefusal("must be true or false")
            }
        }
    }
}

extension SettingType where Value: RawRepresentable<String> & CaseIterable {
    /// A type whose values are the cases of `Value`.
    package static var choice: Self {
        let cases = Value.allCases.map(\.rawValue)
        return SettingType("choice", allowed: cases.map { "`\($0)`" }.joined(separator: ", "), text: \.rawValue) {
            text throws(SettingRefusal) in
            guard let value = Value(rawValue: text) else {
                throw SettingRefusal("must be one of \(cases.joined(separator: ", "))")
            }
            return value
        }
    }
}
