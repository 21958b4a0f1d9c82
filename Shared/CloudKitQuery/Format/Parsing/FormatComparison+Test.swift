internal import CloudKitModel

extension FormatComparison {
    /// Returns the test that compares the field on the left with the value on the right.
    func test() throws(FormatFault) -> Test {
        switch operation.kind {
        case .relation(let relation):
            let value = try value()
            if relation != .equal && relation != .notEqual { try options.refuse(with: "'\(operation.spelling)'") }
            return .relation(relation, value, try options.forTexts([value]))
        case .oneOf:
            let values = try list()
            return .oneOf(values, try options.forTexts(values))
        case .between:
            let bounds = try list()
            guard bounds.count == 2 else {
                throw FormatFault("expected two values after BETWEEN, not \(bounds.count)", at: right.position)
            }
            try options.refuse(with: "BETWEEN")
            return .between(bounds[0], bounds[1])
        case .text(let text): return .text(text, try pattern(of: text), try options.forTexts([]))
        case .contains:
            guard case .list(let values) = right.kind else {
                let value = try value()
                return .contains(value, try options.forTexts([value]))
            }
            try FormatQuantifier.refuse(quantifier, with: "a list after CONTAINS")
            try options.refuse(with: "a list after CONTAINS")
            return .containsAll(values)
        case .tokenMatches:
            try FormatQuantifier.refuse(quantifier, with: "TOKENMATCHES")
            return .tokens(try text(), .all)
        }
    }

    /// Returns the test for `self CONTAINS 'words'` or `allTokens TOKENMATCHES[cdl] 'words'`.
    func search() throws(FormatFault) -> Test {
        guard operation.kind == .contains || operation.kind == .tokenMatches else {
            throw FormatFault.searchExpected(at: operation.position)
        }
        try FormatQuantifier.refuse(quantifier, with: "a search of all fields")
        return .tokens(try text(), .all)
    }

    /// Returns the comparison for an IN with the field on the right: `v IN f`, `ANY {a, b} IN f`, `ALL {a, b} IN f` or
    /// `ANY tokenize(…) IN f`.
    func membership() throws(FormatFault) -> Comparison {
        switch (left.kind, quantifier?.kind) {
        case (.words(let text), let kind?):
            try options.refuse(with: "tokenize(…)")
            return Comparison(try container(isSearch: true), .value, .tokens(text, kind == .all ? .all : .any))
        case (.words, nil): throw FormatFault("expected ANY or ALL before tokenize(…)", at: left.position)
        case (.list(let values), .all):
            try options.refuse(with: "ALL")
            return Comparison(try container(), .value, .containsAll(values))
        case (.list(let values), _?):
            return Comparison(try container(), .any, .oneOf(values, try options.forTexts(values)))
        case (.list, nil):
            throw FormatFault("expected ANY or ALL before a list on the left of IN", at: left.position)
        case (.value(let value), nil):
            return Comparison(try container(), .any, .relation(.equal, value, try options.forTexts([value])))
        case (.null, _): throw FormatFault.nilCompared(at: left.position)
        default:
            throw FormatFault("expected a field, a list or tokenize(…) after the quantifier", at: left.position)
        }
    }

    /// Returns the field on the right. `self` is allowed only in a search for words.
    private func container(isSearch: Bool = false) throws(FormatFault) -> QueryKey {
        switch right.kind {
        case .itself where isSearch: return .allTokens
        case .key(let key) where isSearch || key != .allTokens: return key
        case .itself, .key: throw FormatFault.searchExpected(at: right.position)
        default: throw FormatFault("expected a field on one side of '\(operation.spelling)'", at: right.position)
        }
    }

    /// Returns the test for `distance… < metres`.
    func distanceTest(from place: Location) throws(FormatFault) -> Test {
        try FormatQuantifier.refuse(quantifier, with: "a distance")
        try options.refuse(with: "a distance")
        guard case .relation(let relation) = operation.kind, relation != .equal, relation != .notEqual else {
            throw FormatFault("a distance can only be compared with <, <=, > or >=", at: operation.position)
        }
        guard let metres = right.number, metres >= 0 else {
            throw FormatFault("expected a number of metres, 0 or more", at: right.position)
        }
        return .distance(relation, place, metres: metres)
    }
}

extension FormatComparison {
    /// Returns the right side as a single value.
    private func value() throws(FormatFault) -> FieldValue {
        if let value = right.value { return value }
        throw FormatFault("a list can only be compared with IN, CONTAINS or BETWEEN", at: right.position)
    }

    private func list() throws(FormatFault) -> [FieldValue] {
        if case .list(let values) = right.kind { return values }
        throw FormatFault("expected a list after '\(operation.spelling)': {a, b}", at: right.position)
    }

    private func text() throws(FormatFault) -> String {
        if let text = right.text { return text }
        throw FormatFault("expected a string after '\(operation.spelling)'", at: right.position)
    }

    private func pattern(of operation: TextOperator) throws(FormatFault) -> String {
        let pattern = try text()
        guard operation != .matches || pattern.utf8.count <= QueryLimits.maxRegularExpressionBytes else {
            throw FormatFault(
                "a regular expression must not exceed \(QueryLimits.maxRegularExpressionBytes) bytes",
                at: right.position)
        }
        return pattern
    }
}
