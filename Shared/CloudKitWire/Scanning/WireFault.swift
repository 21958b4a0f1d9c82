internal import CloudKitModel

/// A decoding error. In a list of operations, a syntax error fails the whole body, while a content error fails only
/// its operation.
///
/// The enum is indirect so that the error type of all scanning functions is one word.
indirect enum WireFault: Error {
    /// The bytes are not JSON. `offset` is the position of the error; `field` is the field whose value contains it,
    /// if any.
    case syntax(Syntax, offset: Int, field: String?)
    /// The bytes are JSON, but not a value that is expected or can be stored.
    case content(ServerError)

    /// The kinds of JSON syntax errors.
    enum Syntax: String {
        case unexpectedEnd = "unexpected end"
        case unexpectedByte = "unexpected character"
        case trailingBytes = "something after the end of the value"
        case tooDeep = "more than 64 levels of nesting"
        case invalidUTF8 = "invalid UTF-8"
        case controlCharacter = "control character in a string"
        case invalidEscape = "invalid escape in a string"
    }

    /// The error reported to the client.
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

    /// Whether the error already names its field.
    var namesField: Bool {
        switch self {
        case .syntax(_, _, let field): field != nil
        case .content(let error): error.field != nil
        }
    }

    /// The same error in the field `name`, which replaces a key within the field's value.
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
