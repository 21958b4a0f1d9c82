internal import CloudKitModel

/// A function in a format. Its methods evaluate a call with the given operands.
struct FormatFunction {
    /// The name of the distance function, in lower case.
    static let distance = "distancetolocation:fromlocation:"

    var name: String
    var position: String.Index

    /// Whether a call to the function is one side of a comparison rather than a value.
    var isOfComparison: Bool { ["tokenize", Self.distance].contains(name.lowercased()) }

    /// Returns an error that says that `form` is expected here.
    func expected(_ form: String) -> FormatFault { FormatFault("expected \(form)", at: position) }

    /// Evaluates `CAST(x, "NSDate")` or `CAST(x, "NSNumber")`.
    func cast(_ operands: [FormatOperand]) throws(FormatFault) -> FormatOperand {
        guard operands.count == 2, let type = operands[1].text else { throw expected("CAST(value, \"NSDate\")") }
        switch type {
        case "NSDate": return FormatOperand(kind: .value(.timestamp(try Self.date(operands[0]))), position: position)
        case "NSNumber": return FormatOperand(kind: .value(try Self.number(operands[0])), position: position)
        case "NSData": throw FormatFault.data(at: position)
        default:
            throw FormatFault(
                "a cast to \"\(type.prefix(64))\" is not supported, only to \"NSDate\" and \"NSNumber\"",
                at: operands[1].position)
        }
    }

    /// Converts seconds since 2001, an ISO 8601 string or a date to milliseconds since 1970.
    private static func date(_ operand: FormatOperand) throws(FormatFault) -> Int64 {
        if case .timestamp(let milliseconds)? = operand.value { return milliseconds }
        if let seconds = operand.digits.flatMap({ DecimalText($0) }) {
            guard let milliseconds = FormatDate.milliseconds(since2001: seconds) else {
                throw FormatFault.tooFar(at: operand.position)
            }
            return milliseconds
        }
        guard let text = operand.text, let milliseconds = FormatDate.milliseconds(iso8601: text) else {
            throw FormatFault(
                "expected seconds since 2001 or a string such as '2026-01-15T18:00:00Z'", at: operand.position)
        }
        return milliseconds
    }

    private static func number(_ operand: FormatOperand) throws(FormatFault) -> FieldValue {
        if operand.number != nil, let value = operand.value { return value }
        guard let text = operand.text, case .value(let number) = FormatNumber(text) else {
            throw FormatFault("expected a number, or a string that contains one", at: operand.position)
        }
        return number
    }

    /// Evaluates `reference("record")`, `reference("record", "zone")` or `reference("record", "zone", "owner")`. The
    /// names are not validated.
    func reference(_ operands: [FormatOperand]) throws(FormatFault) -> FormatOperand {
        let names = operands.compactMap(\.text)
        guard let recordName = names.first, names.count == operands.count else {
            throw expected("reference(\"record\") or reference(\"record\", \"zone\")")
        }
        var reference = Reference(recordName: RecordName(unchecked: recordName))
        if names.count > 1 {
            reference.zoneID = ZoneID(
                zoneName: ZoneName(unchecked: names[1]),
                ownerRecordName: names.dropFirst(2).first.map { UserName(unchecked: $0) })
        }
        return FormatOperand(kind: .value(.reference(reference)), position: position)
    }

    /// Evaluates `location(latitude, longitude)`.
    func location(_ operands: [FormatOperand]) throws(FormatFault) -> FormatOperand {
        guard operands.count == 2, let latitude = operands[0].number, let longitude = operands[1].number else {
            throw expected("location(latitude, longitude)")
        }
        let location = Location(latitude: latitude, longitude: longitude)
        return FormatOperand(kind: .value(.location(location)), position: position)
    }

    /// Evaluates `tokenize(text, options)`. The options have no effect, because searches always apply them.
    func tokenize(_ operands: [FormatOperand]) throws(FormatFault) -> FormatOperand {
        guard operands.count == 2, let text = operands[0].text, let letters = operands[1].text else {
            throw expected("tokenize('words', 'Cdl')")
        }
        guard letters.lowercased().allSatisfy(FormatOptions.known.contains) else {
            throw FormatFault("tokenize supports only the options 'Cdl'", at: operands[1].position)
        }
        return FormatOperand(kind: .words(text), position: position)
    }

    /// Evaluates `distanceToLocation:fromLocation:(field, location)`, with the arguments in either order.
    func distance(_ operands: [FormatOperand]) throws(FormatFault) -> FormatOperand {
        let places = operands.compactMap { operand in
            if case .location(let location)? = operand.value { location } else { nil }
        }
        let keys = operands.compactMap { operand in if case .key(let key) = operand.kind { key } else { nil } }
        guard operands.count == 2, let place = places.first, let key = keys.first else {
            throw expected("distanceToLocation:fromLocation:(field, location)")
        }
        return FormatOperand(kind: .distance(key, place), position: position)
    }
}
