internal import CloudKitModel

/// A comparison as written in a format. The tests are in `FormatComparison+Test.swift`.
struct FormatComparison {
    var quantifier: FormatQuantifier?
    var left: FormatOperand
    var operation: FormatOperator
    var options: FormatOptions
    var right: FormatOperand

    /// Returns the predicate for the comparison.
    func predicate() throws(FormatFault) -> Predicate {
        let predicate = try unnegated()
        return quantifier?.kind == .notAny ? .not(predicate) : predicate
    }

    /// Returns the predicate with NONE interpreted as ANY.
    private func unnegated() throws(FormatFault) -> Predicate {
        if operation.kind == .oneOf, !left.isOfRecord { return .comparison(try membership()) }
        if let quantifier, quantifier.kind == .all {
            throw FormatFault(
                "ALL is supported only before tokenize(…) or, with IN, before a list of values",
                at: quantifier.position)
        }
        for side in [left, right] {
            guard case .words = side.kind else { continue }
            throw FormatFault("expected ANY or ALL before tokenize(…), and IN and a field after it", at: side.position)
        }
        return try oriented().ofField()
    }

    /// Returns the equivalent comparison with the record's operand on the left; the comparison itself if there is no
    /// equivalent.
    private func oriented() throws(FormatFault) -> FormatComparison {
        guard !left.isOfRecord, right.isOfRecord, let mirrored = operation.mirrored else { return self }
        try FormatQuantifier.refuse(quantifier, with: "a value on the left")
        var comparison = self
        (comparison.left, comparison.right) = (right, left)
        comparison.operation = mirrored
        return comparison
    }

    /// Returns the predicate for a comparison with a field on the left.
    private func ofField() throws(FormatFault) -> Predicate {
        guard !left.isOfRecord || !right.isOfRecord else {
            throw FormatFault("two fields cannot be compared with each other", at: right.position)
        }
        switch left.kind {
        case .distance(let key, let place): return .comparison(Comparison(key, .value, try distanceTest(from: place)))
        case .itself where operation.kind != .contains && operation.kind != .tokenMatches:
            return .comparison(try identity())
        case .itself, .key(.allTokens): return .comparison(Comparison(.allTokens, .value, try search()))
        case .key(let key):
            if case .null = right.kind { return try presence(of: key) }
            return .comparison(Comparison(key, quantifier == nil ? .value : .any, try test()))
        case .value, .list, .null, .words:
            throw FormatFault(
                "expected a field before '\(operation.spelling)'; use '%K' for a field's name", at: left.position)
        }
    }

    /// Returns the predicate for `f == nil` or `f != nil`.
    private func presence(of key: QueryKey) throws(FormatFault) -> Predicate {
        try FormatQuantifier.refuse(quantifier, with: "nil")
        try options.refuse(with: "nil")
        let exists = Predicate.comparison(Comparison(key, .value, .exists))
        switch operation.kind {
        case .relation(.equal): return .not(exists)
        case .relation(.notEqual): return exists
        default: throw FormatFault.nilCompared(at: right.position)
        }
    }

    /// Returns the comparison of the record itself for `self == reference` or `self IN {references}`.
    private func identity() throws(FormatFault) -> Comparison {
        let isReference = { (value: FieldValue) in if case .reference = value { true } else { false } }
        switch (operation.kind, right.kind) {
        case (.relation(.equal), .value(let value)) where isReference(value),
            (.relation(.notEqual), .value(let value)) where isReference(value):
            break
        case (.oneOf, .list(let values)) where values.allSatisfy(isReference): break
        default:
            throw FormatFault(
                "self can only be searched with CONTAINS, or compared with references by ==, != or IN",
                at: operation.position)
        }
        try FormatQuantifier.refuse(quantifier, with: "self")
        return Comparison(.system(.recordName), .value, try test())
    }
}
