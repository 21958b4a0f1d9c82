import CloudKitModel
import CloudKitQuery
import CommandLineSession

extension FormatArgument {
    /// Parses the argument for a placeholder. The argument for `%@` is a string, `TYPE:VALUE` or `null:`; a string that
    /// begins with a type and a colon needs the prefix `string:`.
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
            guard rest.isEmpty else { throw ValueSpelling.Fault(description: "use 'null:' without a value") }
            return .null
        }
        guard ValueSpelling.isType(type) else { return .value(.string(text)) }
        return .value(try ValueSpelling.value(rest, type: String(type)))
    }
}
