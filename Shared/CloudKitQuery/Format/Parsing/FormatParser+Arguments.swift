internal import CloudKitModel

extension FormatParser {
    /// Replaces the placeholder with the next argument.
    mutating func placeholder() throws(FormatFault) -> FormatOperand {
        let index = arguments.startIndex
        var operand = try replacedPlaceholder()
        operand.argument = index
        return operand
    }

    private mutating func replacedPlaceholder() throws(FormatFault) -> FormatOperand {
        let place = token
        guard let argument = arguments.popFirst() else {
            throw FormatFault("missing argument for \(place.quoted)", at: place.position)
        }
        try advance()
        let start = place.position
        switch (place.spelling.last, argument) {
        case ("K", .keyPath(let path)): return try Self.key(path: path, at: start)
        case ("K", _): throw FormatFault("'%K' takes a field's name", at: start)
        case (_, .keyPath): throw FormatFault("\(place.quoted) takes a value; use '%K' for a field's name", at: start)
        case ("@", .null): return FormatOperand(kind: .null, position: start)
        case ("@", .value(let value)): return try constant(value, at: start)
        case ("s", .value(let value)), ("S", .value(let value)):
            guard case .string = value else { throw FormatFault("\(place.quoted) takes a string", at: start) }
            return try constant(value, at: start)
        case (_, .value(let value)):
            let operand = try constant(value, at: start)
            guard operand.number != nil else { throw FormatFault("\(place.quoted) takes a number", at: start) }
            return operand
        case (_, .null): throw FormatFault("\(place.quoted) takes a value; use '%@' for nil", at: start)
        }
    }

    /// Checks that fields can be compared with `value`, which is a literal or an argument, and returns the value as an
    /// operand.
    func constant(_ value: FieldValue, at position: String.Index) throws(FormatFault) -> FormatOperand {
        guard case .list(let values, _) = value else {
            try Self.check(value, at: position)
            return FormatOperand(kind: .value(value), position: position, digits: value.digits)
        }
        try Self.checkCount(values.count, at: position)
        for value in values { try Self.check(value, at: position) }
        return FormatOperand(kind: .list(values), position: position)
    }

    private static func check(_ value: FieldValue, at position: String.Index) throws(FormatFault) {
        switch value {
        case .string(let text): try check(text: text, at: position)
        case .double(let number) where !number.isFinite: throw FormatFault("a number must be finite", at: position)
        case .int64, .double, .timestamp: break
        case .location(let location):
            guard location.latitude.isFinite, location.longitude.isFinite else {
                throw FormatFault("the coordinates of a location must be finite", at: position)
            }
        case .reference(let reference): try check(text: reference.recordName.rawValue, at: position)
        case .bytes, .asset: throw FormatFault.data(at: position)
        case .list: throw FormatFault("a list within a list is not supported", at: position)
        }
    }

    private static func check(text: String, at position: String.Index) throws(FormatFault) {
        guard text.utf8.count <= QueryLimits.maxTextBytes else {
            throw FormatFault("a string must not exceed \(QueryLimits.maxTextBytes) bytes", at: position)
        }
        guard !text.utf8.contains(0) else { throw FormatFault("a string must not contain NUL", at: position) }
    }

    private static func key(path: String, at position: String.Index) throws(FormatFault) -> FormatOperand {
        guard !path.contains(".") else { throw FormatFault.keyPath(at: position) }
        guard FormatLexer.isName(path.unicodeScalars) else {
            throw FormatFault("'\(path.prefix(64))' is not the name of a field", at: position)
        }
        return key(path, at: position)
    }
}

extension FieldValue {
    /// The digits of a number; for a double, the shortest digits that convert back to it. Nil for other values.
    fileprivate var digits: String? {
        switch self {
        case .int64(let number): String(number)
        case .double(let number): String(number)
        default: nil
        }
    }
}
