internal import CloudKitModel

/// What stops a decoder. The two kinds part ways in a list of operations: bytes that are not JSON fail the whole
/// body, JSON that is not an operation fails that operation.
///
/// Indirect, so that the type every scanning function may throw is one word.
indirect enum WireFault: Error {
    /// The bytes are not JSON, at this offset; the field tells within which value, if within one.
    case syntax(Syntax, offset: Int, field: String?)
    /// The bytes are JSON, but not what was asked for or not what can be stored.
    case content(ServerError)

    /// The ways in which bytes fail to be JSON.
    enum Syntax: String {
        case unexpectedEnd = "unexpected end"
        case unexpectedByte = "unexpected character"
        case trailingBytes = "something after the end of the value"
        case tooDeep = "more than 64 levels of nesting"
        case invalidUTF8 = "invalid UTF-8"
        case controlCharacter = "control character in a string"
        case invalidEscape = "invalid escape in a string"
    }

    /// The fault as told to the client.
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

    /// Whether the fault tells its field already.
    var namesField: Bool {
        switch self {
        case .syntax(_, _, let field): field != nil
        case .content(let error): error.field != nil
        }
    }

    /// The same fault, in the field `name`; a key within the field's value gives way to it.
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
