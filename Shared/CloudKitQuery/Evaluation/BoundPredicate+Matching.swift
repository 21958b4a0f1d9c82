internal import CloudKitModel

/// Evaluation in memory: of records that SQL cannot decide alone, and of changes that subscriptions ask for.
extension BoundPredicate {
    /// Whether the record is what is asked for. Costs as many steps as there are comparisons, each at most linear in the
    /// value's size (times the size of the pattern).
    package func matches(_ record: some QueryableRecord) -> Bool {
        switch self {
        case .and(let predicates): predicates.allSatisfy { $0.matches(record) }
        case .or(let predicates): predicates.contains { $0.matches(record) }
        case .not(let predicate): !predicate.matches(record)
        case .comparison(let comparison): comparison.matches(record)
        }
    }
}

extension BoundComparison {
    fileprivate func matches(_ record: some QueryableRecord) -> Bool {
        switch operand {
        case .words(let fields): return testsWords(fields, record)
        case .field(let name, let type):
            if case .tokens = test { return testsWords([SearchableField(name: name, type: type)], record) }
            guard let value = record.value(ofField: name, as: type) else { return false }
            return test(value, record)
        case .system(let key):
            guard let value = record.value(of: key) else { return false }
            return test(value, record)
        }
    }

    private func test(_ value: FieldValue, _ record: some QueryableRecord) -> Bool {
        switch test {
        case .exists: return true
        case .containsAll(let wanted):
            let elements = value.elements
            return wanted.allSatisfy { wanted in elements.contains { $0.isEqual(to: wanted, in: record.zoneName) } }
        default:
            guard isAny else { return test.holds(of: value, in: record.zoneName) }
            return value.elements.contains { test.holds(of: $0, in: record.zoneName) }
        }
    }

    private func testsWords(_ fields: [SearchableField], _ record: some QueryableRecord) -> Bool {
        guard case .tokens(let words, let coverage) = test, !words.isEmpty else { return false }
        var missing = Set(words)
        for field in fields {
            guard let value = record.value(ofField: field.name, as: field.type) else { continue }
            for case .string(let text) in value.elements {
                for word in Tokenizer.words(in: text) where missing.remove(word) != nil {
                    if coverage == .any || missing.isEmpty { return true }
                }
            }
        }
        return false
    }
}

extension FieldValue {
    /// The elements of a list; a single value is a list of one.
    fileprivate var elements: [FieldValue] { if case .list(let elements, _) = self { elements } else { [self] } }
}

extension QueryableRecord {
    fileprivate func value(of key: SystemKey) -> FieldValue? {
        switch key {
        case .recordName: .reference(Reference(recordName: recordName))
        case .createdTimestamp: .timestamp(createdTimestamp)
        case .modifiedTimestamp: .timestamp(modifiedTimestamp)
        case .createdUserRecordName: .reference(Reference(recordName: createdUserRecordName))
        case .modifiedUserRecordName: .reference(Reference(recordName: modifiedUserRecordName))
        case .parent: parentRecordName.map { .reference(Reference(recordName: $0)) }
        // Nothing is shared yet.
        case .share: nil
        }
    }
}
