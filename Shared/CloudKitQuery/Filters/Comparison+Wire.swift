internal import CloudKitModel
internal import CloudKitWire

/// Conversion between filters and comparisons.
extension Comparison {
    /// Creates the comparison that a filter describes, ignoring the `NOT_` in its comparator.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the filter's field.
    init(_ wire: WireComparison, _ comparator: Comparator) throws(ServerError) {
        let parts = FilterParts(wire)
        let isTokens = comparator.base == .containsAllTokens || comparator.base == .containsAnyTokens
        guard
            let key = try QueryKey(fieldName: wire.fieldName, systemFieldName: wire.systemFieldName)
                ?? (isTokens ? .allTokens : nil)
        else { throw .missingKey("fieldName") }
        self.init(key, comparator.quantifier, try parts.test(comparator.base))
    }

    /// Returns the equivalent filter, with the comparator `name`.
    func wire(name: String) -> WireComparison {
        var wire = WireComparison(comparator: name, fieldName: key.fieldName, systemFieldName: key.systemFieldName)
        switch test {
        case .relation(_, let value, let options):
            wire.set(value, options)
        case .between(let low, let high): wire.set([low, high])
        case .oneOf(let values, let options): wire.set(values, options)
        case .text(_, let pattern, let options): wire.set(.string(pattern), options)
        case .contains(let value, let options): wire.set(value, options)
        case .containsAll(let values): wire.set(values)
        case .tokens(let words, _): wire.set(.string(words))
        case .distance(_, let location, let metres):
            wire.set(.location(location))
            wire.distance = metres
        case .exists: break
        }
        return wire
    }

    /// The comparator that corresponds to the test.
    var comparator: Comparator.Base {
        switch test {
        case .relation(.equal, _, _): .equals
        case .relation(.notEqual, _, _): .notEquals
        case .relation(.less, _, _): .lessThan
        case .relation(.lessOrEqual, _, _): .lessThanOrEquals
        case .relation(.greater, _, _): .greaterThan
        case .relation(.greaterOrEqual, _, _): .greaterThanOrEquals
        case .between: .between
        case .oneOf: .oneOf
        case .text(.beginsWith, _, _): .beginsWith
        case .text(.endsWith, _, _): .endsWith
        case .text(.like, _, _): .like
        case .text(.matches, _, _): .matches
        case .contains: .contains
        case .containsAll: .listContainsAll
        case .tokens(_, .all): .containsAllTokens
        case .tokens(_, .any): .containsAnyTokens
        case .distance(.less, _, _): .nearerThan
        case .distance(.greater, _, _): .fartherThan
        case .distance(.greaterOrEqual, _, _): .fartherThanOrEquals
        case .distance: .near
        case .exists: .exists
        }
    }
}

extension WireComparison {
    fileprivate mutating func set(_ value: FieldValue, _ options: TextOptions = []) {
        fieldValue = WireField(name: "fieldValue", value: value, declaredType: value.type)
        if !options.isEmpty { self.options = options.letters }
    }

    /// Sets a list. Declares the type of the elements if all have the same type.
    fileprivate mutating func set(_ values: [FieldValue], _ options: TextOptions = []) {
        let base = values.first?.type?.base
        let isUniform = values.allSatisfy { $0.type?.base == base }
        set(.list(values, of: isUniform ? base : nil), options)
    }
}

/// The parts of a filter other than its comparator.
private struct FilterParts {
    let wire: WireComparison

    init(_ wire: WireComparison) { self.wire = wire }

    func test(_ base: Comparator.Base) throws(ServerError) -> Test {
        switch base {
        case .equals: .relation(.equal, try value(), try options())
        case .notEquals: .relation(.notEqual, try value(), try options())
        case .lessThan: .relation(.less, try value())
        case .lessThanOrEquals: .relation(.lessOrEqual, try value())
        case .greaterThan: .relation(.greater, try value())
        case .greaterThanOrEquals: .relation(.greaterOrEqual, try value())
        case .oneOf: .oneOf(try values(), try options())
        case .between: try between()
        case .beginsWith: .text(.beginsWith, try text(), try options())
        case .endsWith: .text(.endsWith, try text(), try options())
        case .like: .text(.like, try text(), try options())
        case .matches: .text(.matches, try text(), try options())
        case .contains: .contains(try value(), try options())
        case .listContainsAll: .containsAll(try values())
        case .containsAllTokens: .tokens(try text(), .all)
        case .containsAnyTokens: .tokens(try text(), .any)
        case .near: try distance(.lessOrEqual)
        case .nearerThan: try distance(.less)
        case .fartherThan: try distance(.greater)
        case .fartherThanOrEquals: try distance(.greaterOrEqual)
        case .exists: .exists
        }
    }

    private func value() throws(ServerError) -> FieldValue {
        guard let value = wire.fieldValue?.value else { throw fault("requires a fieldValue") }
        return value
    }

    private func values() throws(ServerError) -> [FieldValue] {
        // A list without a type or with the wrong type is accepted, as is a single value (web-services 3.7).
        guard case .list(let values, _) = try value() else { return [try value()] }
        return values
    }

    private func text() throws(ServerError) -> String {
        guard case .string(let text) = try value() else { throw fault("requires a STRING") }
        return text
    }

    private func between() throws(ServerError) -> Test {
        let values = try values()
        guard values.count == 2 else { throw fault("requires a list of two values") }
        return .between(values[0], values[1])
    }

    private func distance(_ relation: Relation) throws(ServerError) -> Test {
        guard case .location(let location) = try value() else { throw fault("requires a LOCATION") }
        guard let metres = wire.distance, metres >= 0 else { throw fault("requires a distance of 0 or more metres") }
        return .distance(relation, location, metres: metres)
    }

    private func options() throws(ServerError) -> TextOptions {
        guard let letters = wire.options else { return [] }
        guard let options = TextOptions(letters: letters) else { throw fault("has options other than c and d") }
        return options
    }

    private func fault(_ fault: String) -> ServerError {
        let name = wire.name.map { " on '\($0)'" } ?? ""
        return ServerError(.filterInvalid, "The filter \(wire.comparator)\(name) \(fault)", field: wire.name)
    }
}

extension TextOptions {
    /// Parses `c`, `d` or `cd`; returns nil if `letters` contains any other letter.
    package init?(letters: String) {
        self = []
        for letter in letters {
            switch letter {
            case "c", "C": insert(.caseInsensitive)
            case "d", "D": insert(.diacriticInsensitive)
            default: return nil
            }
        }
    }

    /// `c`, `d`, `cd` or an empty string.
    package var letters: String {
        (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
    }
}
