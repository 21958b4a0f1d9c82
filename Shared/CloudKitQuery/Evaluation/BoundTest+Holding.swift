internal import CloudKitModel

extension BoundTest {
    /// Returns whether the test holds for a single value of a record in `zone`.
    ///
    /// - Throws: ``MatchStopped`` if `watch` stops the evaluation before the result is known.
    func holds(of value: FieldValue, in zone: String, _ watch: inout MatchWatch) throws(MatchStopped) -> Bool {
        try watch.take(value.steps * comparedValues)
        switch self {
        case .relation(.equal, let other): return value.isEqual(to: other, in: zone)
        case .relation(.notEqual, let other): return !value.isEqual(to: other, in: zone)
        case .relation(let relation, let other):
            return value.order(to: other).map { relation.holds(of: $0) } ?? false
        case .between(let low, let high):
            guard let above = value.order(to: low), let below = value.order(to: high) else { return false }
            return above != .before && below != .after
        case .oneOf(let values): return values.contains { value.isEqual(to: $0, in: zone) }
        case .text(let text): return value.text.map(text.holds) ?? false
        case .matches(let expression):
            guard let text = value.text else { return false }
            return try expression.matchesWhole(text, &watch)
        case .distance(let relation, let place, let metres):
            guard case .location(let location) = value else { return false }
            return relation.holds(of: Order(GreatCircle.metres(location, place), metres))
        case .containsAll, .tokens, .exists: return false
        }
    }

    /// The number of values with which the test compares a single value.
    private var comparedValues: Int {
        switch self {
        case .oneOf(let values): values.count
        case .text(let text): if case .oneOf(let others) = text.kind { others.count } else { 1 }
        default: 1
        }
    }
}

extension TextTest {
    /// Returns whether the test holds for a string.
    func holds(of text: String) -> Bool {
        if case .like(let pattern) = kind { return pattern.matches(text) }
        let folded = TextFolding.fold(text, options)
        switch kind {
        case .equals(let other): return TextFolding.equalBytes(folded, other)
        case .notEquals(let other): return !TextFolding.equalBytes(folded, other)
        case .oneOf(let others): return others.contains { TextFolding.equalBytes(folded, $0) }
        case .beginsWith(let start): return folded.utf8.starts(with: start.utf8)
        case .endsWith(let end): return folded.utf8.reversed().starts(with: end.utf8.reversed())
        case .contains(let part): return TextSearch.finds(part, in: folded)
        case .like: return false
        }
    }
}

/// The order of one value relative to another.
enum Order: Hashable {
    case before, same, after

    init<Value: Comparable>(_ one: Value, _ other: Value) {
        self = one < other ? .before : one > other ? .after : .same
    }
}

extension Relation {
    fileprivate func holds(of order: Order) -> Bool {
        switch self {
        case .equal: order == .same
        case .notEqual: order != .same
        case .less: order == .before
        case .lessOrEqual: order != .after
        case .greater: order == .after
        case .greaterOrEqual: order != .before
        }
    }
}

extension FieldValue {
    /// The string that is used to compare the value; for a reference, the target's name.
    fileprivate var text: String? {
        switch self {
        case .string(let text): text
        case .reference(let reference): reference.recordName.rawValue
        default: nil
        }
    }

    /// Returns whether a value of a record in `zone` equals `other`. Strings are compared by their bytes. References
    /// are compared by the target's name and, if `other` contains a zone, by zone; the target of a stored reference is
    /// always in the record's own zone.
    func isEqual(to other: FieldValue, in zone: String) -> Bool {
        if case .reference(let reference) = other {
            guard let name = text else { return false }
            let isSameZone = reference.zoneID.map { TextFolding.equalBytes($0.zoneName.rawValue, zone) } ?? true
            return isSameZone && TextFolding.equalBytes(name, reference.recordName.rawValue)
        }
        return order(to: other) == .same
    }

    /// Returns the order relative to a value of the same kind; nil if the kind has no order.
    fileprivate func order(to other: FieldValue) -> Order? {
        switch (self, other) {
        case (.int64(let one), .int64(let other)), (.timestamp(let one), .timestamp(let other)): Order(one, other)
        case (.double(let one), .double(let other)): Order(one, other)
        case (.int64(let one), .double(let other)): Self.order(one, other)
        case (.double(let one), .int64(let other)): Self.order(other, one).reversed
        default: textOrder(to: other)
        }
    }

    private func textOrder(to other: FieldValue) -> Order? {
        guard let one = text, let other = other.text else { return nil }
        if TextFolding.equalBytes(one, other) { return .same }
        return TextFolding.precedes(one, other) ? .before : .after
    }

    /// Compares an integer with a double by their exact values, without rounding the integer to a double.
    private static func order(_ one: Int64, _ other: Double) -> Order {
        if other >= 0x1p63 { return .before }
        if other < -0x1p63 { return .after }
        let whole = Int64(other.rounded(.down))
        if one != whole { return Order(one, whole) }
        return other > other.rounded(.down) ? .before : .same
    }
}

extension Order {
    fileprivate var reversed: Order {
        switch self {
        case .before: .after
        case .same: .same
        case .after: .before
        }
    }
}
