internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitSchema
internal import PostgresClient
internal import RecordStorage

/// Writes a predicate as SQL for an environment's table. Negations are pushed down to the comparisons, so that a
/// comparison that SQL cannot evaluate always widens the result and never narrows it.
struct ConditionWriter {
    /// The records that the statement searches.
    let target: QueryTarget
    /// The indexes that are ready.
    let ready: Set<FieldIndex.Key>
    /// The statement's parameters.
    var builder: SQLBuilder

    /// Creates a writer that adds to `builder`.
    init(_ target: QueryTarget, ready: Set<FieldIndex.Key>, builder: SQLBuilder) {
        self.target = target
        self.ready = ready
        self.builder = builder
    }

    /// Writes a predicate.
    mutating func condition(_ predicate: BoundPredicate, isNegated: Bool = false) -> Condition {
        switch predicate {
        case .not(let predicate): return condition(predicate, isNegated: !isNegated)
        case .and(let predicates): return join(predicates, isNegated ? "or" : "and", isNegated)
        case .or(let predicates): return join(predicates, isNegated ? "and" : "or", isNegated)
        case .comparison(let comparison):
            let positive = condition(comparison)
            return isNegated ? positive.negated : positive
        }
    }

    private mutating func join(_ predicates: [BoundPredicate], _ word: String, _ isNegated: Bool) -> Condition {
        guard !predicates.isEmpty else { return word == "and" ? .always : .never }
        var parts: [Condition] = []
        for predicate in predicates { parts.append(condition(predicate, isNegated: isNegated)) }
        return Condition(
            sql: "(" + parts.map { "(\($0.sql))" }.joined(separator: " \(word) ") + ")",
            isExact: parts.allSatisfy(\.isExact))
    }

    private mutating func condition(_ comparison: BoundComparison) -> Condition {
        switch comparison.operand {
        case .words(let fields): return words(comparison.test, in: fields)
        case .system(let key): return system(key, comparison.test)
        case .field(let name, let type):
            if type.isList {
                return list(name, type, comparison)
            }
            return single(name, type, comparison.test)
        }
    }

    private mutating func system(_ key: SystemKey, _ test: BoundTest) -> Condition {
        let column = target.column(of: key)
        switch (key, test) {
        case (.share, _): return .never
        case (.parent, .relation(.equal, let value)):
            // The children are found in the reference table, which is indexed by target.
            let name = builder.bind(value.textOfReference)
            // A query of shared records compares only the column, because the reference table also lists children that
            // are hidden from the user.
            if case .members = target.visibility { return Condition(sql: "\(column) = \(name)") && zone(of: value) }
            let children = target.children(of: name, in: builder.bind(.int8Array(target.rows)))
            return Condition(sql: "\(column) = \(name) and name = any(array(\(children)))") && zone(of: value)
        case (_, .exists): return Condition(sql: "\(column) is not null")
        case (_, .text(let text)):
            return textCondition(text, of: ("\(column) collate \"C\""), prefixOf: column)
        case (_, .matches): return .unknown
        default: return scalar(test, ofColumn: column, key.type)
        }
    }

    private mutating func single(_ name: String, _ type: FieldType, _ test: BoundTest) -> Condition {
        switch test {
        case .exists: return Condition(sql: "\(FieldExpression.elements(of: name)) is not null")
        case .tokens(let words, let coverage): return tokens(words, coverage, in: [name])
        case .distance(let relation, let place, let metres): return distance(name, relation, place, metres)
        case .matches(let expression): return matches(expression, name)
        case .text(let text) where text.kind.isPrefix && text.options.isEmpty: return prefix(text, name, type)
        case .text(let text):
            let whole = FieldExpression.folded(FieldExpression.text(of: name), text.options)
            let exact = textCondition(text, of: whole, prefixOf: nil)
            guard let narrow = narrowing(text.kind, name) else { return exact }
            // For ASCII text, the condition on the index is exact, so folding the text again is unnecessary.
            guard text.options == .caseInsensitive, text.kind.longestLiteral.utf8.allSatisfy({ $0 < 0x80 }),
                text.kind.isContains
            else { return narrow && exact }
            let plain = FieldExpression.text(of: name)
            return narrow
                && Condition(
                    sql: "(octet_length(\(plain)) = char_length(\(plain)) or \(exact.sql))", isExact: exact.isExact)
        default:
            guard type.base == .string else {
                guard let value = FieldExpression.value(of: name, type: type) else { return .never }
                return scalar(test, ofColumn: value, type)
            }
            return text(test, name)
        }
    }
}

// MARK: - Numbers, times, references

extension ConditionWriter {
    /// Writes a comparison of a single value that the index contains in full.
    mutating func scalar(_ test: BoundTest, ofColumn column: String, _ type: FieldType) -> Condition {
        switch test {
        case .relation(let relation, let value):
            let sql = Condition(sql: "\(column) \(relation.sql) \(bind(value, type, isColumn: column.isTimeColumn))")
            guard type.base == .reference else { return sql }
            switch relation {
            case .notEqual:
                return Condition(sql: "\(column) is not null and not (\(bindEqual(column, value).sql))")
            case .equal: return sql && zone(of: value)
            default: return sql
            }
        case .between(let low, let high):
            let isTime = column.isTimeColumn
            return Condition(
                sql: "\(column) between \(bind(low, type, isColumn: isTime)) and \(bind(high, type, isColumn: isTime))")
        case .oneOf(let values): return oneOf(values, column, type)
        default: return .never
        }
    }

    private mutating func bindEqual(_ column: String, _ value: FieldValue) -> Condition {
        Condition(sql: "\(column) = \(builder.bind(value.textOfReference))") && zone(of: value)
    }

    private mutating func oneOf(_ values: [FieldValue], _ column: String, _ type: FieldType) -> Condition {
        guard type.base == .reference else {
            let cast = column.isTimeColumn ? "timestamptz[]" : "numeric[]"
            let parameter =
                column.isTimeColumn
                ? builder.bind(.timestamptzArray(values.map { $0.milliseconds?.clampedToTimestamps }))
                : builder.bind(values.map(\.numberText))
            return Condition(sql: "\(column) = any(\(parameter)::\(cast))")
        }
        let here = values.filter { target.isHere($0) }
        guard here.contains(where: { $0.zoneOfReference != nil && target.zones.count > 1 }) else {
            return Condition(sql: "\(column) = any(\(builder.bind(here.map(\.textOfReference))))")
        }
        let each = here.map { bindEqual(column, $0).sql }
        return Condition(sql: "(" + each.map { "(\($0))" }.joined(separator: " or ") + ")")
    }

    /// Writes the condition for the zone of a reference. A reference always refers to a record in its own zone, so a
    /// reference that names a zone is compared only in that zone.
    mutating func zone(of value: FieldValue) -> Condition {
        guard value.zoneOfReference != nil else { return .always }
        guard target.zones.count > 1 else { return target.isHere(value) ? .always : .never }
        let rows = target.zones(named: value.zoneOfReference).map(\.row.rawValue)
        return Condition(sql: "zone = any(\(builder.bind(.int8Array(rows))))")
    }

    private mutating func bind(_ value: FieldValue, _ type: FieldType, isColumn: Bool) -> String {
        switch value {
        case .timestamp(let milliseconds) where isColumn:
            builder.bind(.timestamptz(millisecondsSince1970: milliseconds.clampedToTimestamps))
        case .reference: builder.bind(value.textOfReference)
        default: builder.bind(value.numberText) + "::numeric"
        }
    }
}

extension String {
    /// Whether this is one of the two columns that store times in PostgreSQL's own type.
    fileprivate var isTimeColumn: Bool { self == "created_at" || self == "modified_at" }
}

// MARK: - Lists, words, places

extension ConditionWriter {
    private mutating func list(_ name: String, _ type: FieldType, _ comparison: BoundComparison) -> Condition {
        let elements = FieldExpression.elements(of: name)
        switch comparison.test {
        case .exists: return Condition(sql: "\(elements) is not null")
        case .tokens(let words, let coverage): return tokens(words, coverage, in: [name])
        case .containsAll(let values):
            var condition = Condition(sql: "\(elements) @> \(builder.bind(.jsonb(values.storedList)))")
            for value in values { condition = condition && zone(of: value) }
            return condition
        case .relation(.equal, let value): return element(value, elements)
        case .oneOf(let values):
            guard !values.isEmpty else { return .never }
            var each: [String] = []
            for value in values { each.append("(\(element(value, elements).sql))") }
            return Condition(sql: "(" + each.joined(separator: " or ") + ")")
        case .matches: return Condition(sql: "\(elements) is not null", isExact: false)
        default: return someElement(elements, type, comparison.test)
        }
    }

    private mutating func element(_ value: FieldValue, _ elements: String) -> Condition {
        Condition(sql: "\(elements) @> \(builder.bind(.jsonb([value].storedList)))") && zone(of: value)
    }

    /// Writes a comparison that checks each element of a list.
    private mutating func someElement(_ elements: String, _ type: FieldType, _ test: BoundTest) -> Condition {
        let single = FieldType(type.base)
        let condition: Condition
        switch (type.base, test) {
        case (.string, .text(let text)):
            condition = textCondition(
                text, of: FieldExpression.folded("(e.v #>> '{}') collate \"C\"", text.options), prefixOf: nil)
        case (.string, _): condition = textRelation(test, "((e.v #>> '{}') collate \"C\")")
        case (.reference, .relation(.notEqual, let value)):
            condition = Condition(sql: "not (\(bindEqual("(e.v ->> 'recordName')", value).sql))")
        default:
            let number = "(case when jsonb_typeof(e.v) = 'number' then (e.v)::numeric end)"
            condition = scalar(test, ofColumn: number, single)
        }
        return Condition(
            sql: """
                exists (select from jsonb_array_elements(case jsonb_typeof(\(elements)) when 'array' then \(elements) end)
                as e(v) where \(condition.sql))
                """, isExact: condition.isExact)
    }

    private mutating func words(_ test: BoundTest, in fields: [SearchableField]) -> Condition {
        guard case .tokens(let words, let coverage) = test, !words.isEmpty else { return .never }
        guard target.type.hasSearchableFields, isReady(.words, FieldIndex.allTokens) else { return .unknown }
        return tokens(words, coverage)
    }

    /// Writes a search for words in `fields`. It is not exact, because the index does not distinguish the fields of a
    /// record.
    private mutating func tokens(_ words: [String], _ coverage: Coverage, in fields: [String]) -> Condition {
        guard !words.isEmpty else { return .never }
        let isIndexed = fields.allSatisfy { target.type.indexes[$0]?.contains(.searchable) == true }
        guard isIndexed, isReady(.words, FieldIndex.allTokens) else { return .unknown }
        var condition = tokens(words, coverage)
        condition.isExact = false
        return condition
    }

    private mutating func tokens(_ words: [String], _ coverage: Coverage) -> Condition {
        Condition(sql: "\(FieldExpression.words) \(coverage == .all ? "@>" : "&&") \(builder.bind(words))")
    }

    private mutating func distance(_ name: String, _ relation: Relation, _ place: Location, _ metres: Double)
        -> Condition
    {
        let point = FieldExpression.point(of: name)
        let centre = bind(place)
        let exact = "\(FieldExpression.distance(point, centre)) \(relation.sql) \(builder.bind(.float8(metres)))"
        guard relation == .less || relation == .lessOrEqual, let chord = Self.chord(of: metres) else {
            // The check for null is needed because `least`, which the distance uses, ignores nulls.
            return Condition(sql: "\(point) is not null and \(exact)")
        }
        let box = "record.cube_enlarge(\(centre), \(builder.bind(.float8(chord))), 3)"
        return Condition(sql: "\(point) operator(record.<@) \(box) and \(exact)")
    }

    /// Binds a location as a point on the unit sphere.
    mutating func bind(_ place: Location) -> String {
        FieldExpression.point(
            latitude: builder.bind(.float8(place.latitude)), longitude: builder.bind(.float8(place.longitude)))
    }

    /// Returns the chord of an arc, slightly lengthened; nil if every point is within that distance.
    private static func chord(of metres: Double) -> Double? {
        let angle = metres / GreatCircle.earthRadius
        return angle < Double.pi ? GreatCircle.chord(of: metres) * (1 + 1e-9) + 1e-12 : nil
    }

    func isReady(_ method: FieldIndex.Method, _ field: String) -> Bool {
        ready.contains(FieldIndex.Key(recordType: target.type.id, field: field, method: method))
    }
}
