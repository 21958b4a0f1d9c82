import CloudKitModel
import CloudKitQuery
import CommandLineSession

extension FormatArgument {
    /// What `text` is in a place of a format: in place of `%@` a text, or `TYPE:VALUE`, or `null:`; in place of the
    /// others what they take. A text that begins like a type is written `string:…`.
    init(_ text: String, in place: FormatPlaceholder) throws(ValueSpelling.Fault) {
        switch place {
        case .keyPath: self = .keyPath(text)
        case .text: self = .value(.string(text))
        case .integer: self = .value(try ValueSpelling.single(text, .int64))
        case .real: self = .value(try ValueSpelling.single(text, .double))
        case .value: self = try Self.value(text)
        }
    }

    private static func value(_ text: String) throws(ValueSpelling.Fault) -> FormatArgument {
        guard let colon = text.firstIndex(of: ":") else { return .value(.string(text)) }
        let (type, rest) = (text[..<colon], String(text[text.index(after: colon)...]))
        if type == "null" {
            guard rest.isEmpty else { throw ValueSpelling.Fault(description: "write 'null:' for no value") }
            return .null
        }
        guard ValueSpelling.isType(type) else { return .value(.string(text)) }
        return .value(try ValueSpelling.value(rest, type: String(type)))
    }
}
