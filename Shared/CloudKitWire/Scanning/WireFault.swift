internal import CloudKitModel

/// A decoding error. In a list of operations, a syntax error invalidates the whole body, whereas a content error
/// affects only the operation that contains it.
///
/// The enum is indirect so that the error type, which all scanning functions throw, has the size of one word.
indirect enum WireFault: Error {
    /// The bytes are not JSON. `offset` is the position of the error, and `field` is the field whose value contains the
    /// error, if any.
    case syntax(Syntax, offset: Int, field: String?)
    /// The bytes are JSON, but the value is unexpected or cannot be stored.
    case content(ServerError)

    /// The kinds of JSON syntax errors. The raw value is part of the error message.
    enum Syntax: String {
        case unexpectedEnd = "unexpected end"
        case unexpectedByte = "unexpected character"
        case trailingBytes = "unexpected text after the end of the value"
        case tooDeep = "more than 64 levels of nesting"
        case invalidUTF8 = "invalid UTF-8"
        case controlCharacter = "control character in a string"
        case invalidEscape = "invalid escape in a string"
    }

    /// The error to report to the client.
    var serverError: ServerError {
        switch self {
        case .content(let error): return error
        case .syntax(let syntax, let offset, let field):
            let place = field.map { " in field '\($0)'" } ?? ""
            return ServerError(
                .invalidJSON, "The body is not valid JSON: \(syntax.rawValue) at byte \(offset)\(place)", field: field,
                actual: offset)
        }
    }

    /// Whether the error already names a field.
    var namesField: Bool {
        switch self {
        case .syntax(_, _, let field): field != nil
        case .content(let error): error.field != nil
        }
    }

    /// Returns the same error, attributed to the field `name` rather than to a key within the field's value.
    func within(field name: String) -> WireFault {
        switch self {
        case .syntax(let syntax, let offset, _):
            return .syntax(syntax, offset: offset, field: name)
        case .content(var error):
            error.field = name
            error.reason += " (field '\(name)')"
            return .content(error)
        }
    }
}
