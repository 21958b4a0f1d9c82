internal import CloudKitModel
internal import CloudKitQuery
internal import PostgresClient
internal import RecordStorage

/// Comparisons of text. An index contains only the first ``FieldExpression/indexedCharacters`` characters of a string,
/// so strings of at least that length are compared again in full.
extension ConditionWriter {
    /// Writes a comparison of a field's whole text.
    mutating func text(_ test: BoundTest, _ name: String) -> Condition {
        guard let start = FieldExpression.value(of: name, type: .string) else { return .never }
        let whole = FieldExpression.text(of: name)
        switch test {
        case .relation(let relation, .string(let text)):
            return textRelation(relation, text, start: start, whole: whole)
        case .between(.string(let low), .string(let high)):
            return textRelation(.greaterOrEqual, low, start: start, whole: whole)
                && textRelation(.lessOrEqual, high, start: start, whole: whole)
        case .oneOf(let values):
            let texts = values.compactMap(\.plainText)
            let starts = builder.bind(texts.map(\.indexed))
            let condition = Condition(sql: "\(start) = any(\(starts))")
            guard texts.contains(where: { $0.isLongerThanIndex }) else { return condition }
            return condition && Condition(sql: "\(whole) = any(\(builder.bind(texts)))")
        default: return .never
        }
    }

    private mutating func textRelation(_ relation: Relation, _ text: String, start: String, whole: String)
        -> Condition
    {
        guard text.isLongerThanIndex else {
            return Condition(sql: "\(start) \(relation.sql) \(builder.bind(text))")
        }
        let exact = Condition(sql: "\(whole) \(relation.sql) \(builder.bind(text))")
        guard let wider = relation.ofStarts else { return exact }
        return Condition(sql: "\(start) \(wider) \(builder.bind(text.indexed))") && exact
    }

    /// Writes a comparison of text that no index contains.
    mutating func textRelation(_ test: BoundTest, _ sql: String) -> Condition {
        switch test {
        case .relation(let relation, .string(let text)):
            Condition(sql: "\(sql) \(relation.sql) \(builder.bind(text))")
        case .between(.string(let low), .string(let high)):
            Condition(sql: "\(sql) between \(builder.bind(low)) and \(builder.bind(high))")
        default: .never
        }
    }

    /// Writes `BEGINSWITH` as a range in the B-tree, because strings with the same prefix are adjacent in code point
    /// order.
    mutating func prefix(_ test: TextTest, _ name: String, _ type: FieldType) -> Condition {
        guard case .beginsWith(let prefix) = test.kind, let start = FieldExpression.value(of: name, type: type) else {
            return .never
        }
        let range = range(of: prefix.indexed, start)
        guard prefix.isLongerThanIndex else { return range }
        let pattern = builder.bind(WildcardPattern.sqlPattern(prefix: prefix))
        return range && Condition(sql: "\(FieldExpression.text(of: name)) like \(pattern)")
    }

    private mutating func range(of prefix: String, _ column: String) -> Condition {
        let from = Condition(sql: "\(column) >= \(builder.bind(prefix))")
        guard let end = prefix.endOfPrefix else { return from }
        return from && Condition(sql: "\(column) < \(builder.bind(end))")
    }

    /// Writes a comparison that has options or that applies to a part of the text.
    ///
    /// - Parameters:
    ///   - whole: the text. If `column` is nil, it has already been folded according to the test's options.
    ///   - column: the column of a B-tree, for a prefix without options; nil if no B-tree contains the text.
    mutating func textCondition(_ test: TextTest, of whole: String, prefixOf column: String?) -> Condition {
        let folded = test.options.isEmpty || column == nil ? whole : FieldExpression.folded(whole, test.options)
        switch test.kind {
        case .equals(let text): return Condition(sql: "\(folded) = \(builder.bind(text))")
        case .notEquals(let text): return Condition(sql: "\(folded) <> \(builder.bind(text))")
        case .oneOf(let texts): return Condition(sql: "\(folded) = any(\(builder.bind(texts)))")
        case .beginsWith(let text):
            if let column, test.options.isEmpty { return range(of: text, column) }
            return Condition(sql: "\(folded) like \(builder.bind(WildcardPattern.sqlPattern(prefix: text)))")
        case .endsWith(let text):
            let length = builder.bind(.int4(Int32(clamping: text.unicodeScalars.count)))
            return Condition(sql: "right(\(folded), \(length)) = \(builder.bind(text))")
        case .contains(let text): return like(folded, WildcardPattern.sqlPattern(containing: text))
        case .like(let pattern): return like(folded, pattern.sqlPattern)
        }
    }

    /// Writes a comparison with `like`. PostgreSQL searches for a pattern at every position of a string, and cannot be
    /// interrupted in the middle of a string. Long patterns are therefore evaluated in memory, in linear time.
    private mutating func like(_ text: String, _ pattern: String) -> Condition {
        guard pattern.utf8.count <= Self.maxPatternBytes else {
            return Condition(sql: "\(text) is not null", isExact: false)
        }
        return Condition(sql: "\(text) like \(builder.bind(pattern))")
    }

    private static let maxPatternBytes = 256

    /// Writes the condition that can use a trigram index. The index contains the text in lower case and without
    /// diacritics.
    ///
    /// - Returns: nil if no index helps.
    mutating func narrowing(_ kind: TextTest.Kind, _ name: String) -> Condition? {
        let all: TextOptions = [.caseInsensitive, .diacriticInsensitive]
        let pattern: String
        switch kind {
        case .equals(let text): pattern = WildcardPattern.sqlPattern(prefix: TextFolding.fold(text, all))
        case .beginsWith(let text): pattern = WildcardPattern.sqlPattern(prefix: TextFolding.fold(text, all))
        case .endsWith(let text): pattern = WildcardPattern.sqlPattern(suffix: TextFolding.fold(text, all))
        case .contains(let text): pattern = WildcardPattern.sqlPattern(containing: TextFolding.fold(text, all))
        case .like: pattern = WildcardPattern.sqlPattern(containing: TextFolding.fold(kind.longestLiteral, all))
        case .notEquals, .oneOf: return nil
        }
        guard kind.longestLiteral.hasTrigrams, isReady(.substring, name), pattern.utf8.count <= Self.maxPatternBytes
        else { return nil }
        return Condition(sql: "\(FieldExpression.substring(of: name)) like \(builder.bind(pattern))")
    }

    /// Writes the condition for a regular expression. SQL can check only the literal that every match contains.
    mutating func matches(_ expression: RegularExpression, _ name: String) -> Condition {
        var condition = Condition(sql: "\(FieldExpression.text(of: name)) is not null", isExact: false)
        if let literal = expression.requiredLiteral, let narrow = narrowing(.contains(literal), name) {
            condition = narrow && condition
        }
        condition.isExact = false
        return condition
    }
}

extension Relation {
    /// The operator in SQL.
    var sql: String {
        switch self {
        case .equal: "="
        case .notEqual: "<>"
        default: rawValue
        }
    }

    /// The operator that is true for the beginnings of two strings whenever this relation is true for the whole
    /// strings; nil if there is none.
    fileprivate var ofStarts: String? {
        switch self {
        case .equal: "="
        case .notEqual: nil
        case .less, .lessOrEqual: "<="
        case .greater, .greaterOrEqual: ">="
        }
    }
}

extension String {
    /// The part of the string that an index contains.
    var indexed: String {
        guard isLongerThanIndex else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.prefix(FieldExpression.indexedCharacters)))
    }

    /// Whether an index cannot distinguish the string from a longer one.
    var isLongerThanIndex: Bool { unicodeScalars.count >= FieldExpression.indexedCharacters }

    /// The first string that sorts after all strings with this prefix; nil if there is none.
    var endOfPrefix: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are not scalars, and nothing follows the last scalar.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                return String(String.UnicodeScalarView(scalars + [scalar]))
            }
        }
        return nil
    }
}
