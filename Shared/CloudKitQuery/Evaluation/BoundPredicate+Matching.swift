internal import CloudKitModel

/// Evaluation in memory: of records that SQL cannot decide alone, and of changes that subscriptions ask for.
extension BoundPredicate {
    /// Whether the record is what is asked for. Costs as many steps as there are comparisons, each at most linear in the
    /// value's size (times the size of the pattern).
    package func matches(_ record: some QueryableRecord) -> Bool {
        // Nothing stops it.
        (try? matches(record, stoppingWhen: { false })) ?? false
    }

    /// Whether the record is what is asked for.
    ///
    /// - Parameter isOver: asked at intervals where a comparison may take long.
    /// - Throws: when `isOver` says so before that is known.
    package func matches(
        _ record: some QueryableRecord, stoppingWhen isOver: () -> Bool
    ) throws(MatchStopped) -> Bool {
        switch self {
        case .and(let predicates):
            for predicate in predicates where try !predicate.matches(record, stoppingWhen: isOver) { return false }
            return true
        case .or(let predicates):
            for predicate in predicates where try predicate.matches(record, stoppingWhen: isOver) { return true }
            return false
        case .not(let predicate): return try !predicate.matches(record, stoppingWhen: isOver)
        case .comparison(let comparison): return try comparison.matches(record, stoppingWhen: isOver)
        }
    }
}

extension BoundComparison {
    fileprivate func matches(
        _ record: some QueryableRecord, stoppingWhen isOver: () -> Bool
    ) throws(MatchStopped) -> Bool {
        switch operand {
        case .words(let fields): return testsWords(fields, record)
        case .field(let name, let type):
            if case .tokens = test { return testsWords([SearchableField(name: name, type: type)], record) }
            guard let value = record.value(ofField: name, as: type) else { return false }
            return try self.test(value, record, stoppingWhen: isOver)
        case .system(let key):
            guard let value = record.value(of: key) else { return false }
            return try self.test(value, record, stoppingWhen: isOver)
        }
    }

    private func test(
        _ value: FieldValue, _ record: some QueryableRecord, stoppingWhen isOver: () -> Bool
    ) throws(MatchStopped) -> Bool {
        switch test {
        case .exists: return true
        case .containsAll(let wanted):
            let elements = value.elements
            return wanted.allSatisfy { wanted in elements.contains { $0.isEqual(to: wanted, in: record.zoneName) } }
        default:
            guard isAny else { return try test.holds(of: value, in: record.zoneName, stoppingWhen: isOver) }
            for element in value.elements
            where try test.holds(of: element, in: record.zoneName, stoppingWhen: isOver) { return true }
            return false
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
