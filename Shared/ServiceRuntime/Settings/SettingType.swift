/// What a setting's text means, and which texts are allowed.
package struct SettingType<Value: Sendable>: Sendable {
    /// A word or two for the reference: `integer`, `time`.
    let name: String
    /// The range and its unit, for the reference; may be empty.
    let allowed: String
    /// Whether the text must be shown to nobody.
    let isSecret: Bool
    /// Whether a refusal quotes the text.
    let isQuoted: Bool
    /// How a value is written.
    let text: @Sendable (Value) -> String
    /// What a text means.
    let parse: @Sendable (String) throws(SettingRefusal) -> Value

    /// A type of settings.
    ///
    /// - Parameters:
    ///   - isQuoted: whether a refusal quotes the text. That of a secret is never quoted.
    ///   - text: how a default is written in the reference.
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
    /// Any text.
    package static var text: Self { SettingType("text") { $0 } }

    /// A file or folder.
    package static var path: Self { SettingType("path") { $0 } }

    /// An `http` or `https` address; its value has no slash at the end.
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

    /// A name in PostgreSQL, such as a role's, that needs no quotes.
    package static var postgresName: Self {
        SettingType("name", allowed: "letters, digits, `_`; 63 bytes") { text throws(SettingRefusal) in
            let isGood = text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
            guard isGood, text.utf8.count <= 63 else {
                throw SettingRefusal("must be letters, digits and _, at most 63 bytes")
            }
            return text
        }
    }
}

extension SettingType where Value == Secret {
    /// Any text, shown to nobody.
    package static var secret: Self { SettingType("text", isSecret: true) { Secret($0) } }
}

extension SettingType where Value == Bool {
    /// `true` or `false`; as an option without a value, `true`.
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
    /// One of the type's cases.
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
