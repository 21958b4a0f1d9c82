internal import CloudKitModel

/// In-memory evaluation, for records that SQL alone cannot test and for changes that are matched against subscriptions.
extension BoundPredicate {
    /// Returns whether the record matches. The cost is linear in the number of comparisons. Each comparison takes time
    /// at most proportional to the size of the value or, for a pattern, to the product of the sizes of the value and
    /// the pattern.
    package func matches(_ record: some QueryableRecord) -> Bool {
        // This call never throws, because it has no stop condition.
        (try? matches(record, stoppingWhen: { false })) ?? false
    }

    /// Returns whether the record matches.
    ///
    /// - Parameter isOver: Called at intervals during a long evaluation, even within a single long comparison.
    /// - Throws: ``MatchStopped`` if `isOver` returns true before the result is known.
    package func matches(
        _ record: some QueryableRecord, stoppingWhen isOver: @escaping () -> Bool
    ) throws(MatchStopped) -> Bool {
        var watch = MatchWatch(stoppingWhen: isOver)
        return try matches(record, &watch)
    }

    private func matches(_ record: some QueryableRecord, _ watch: inout MatchWatch) throws(MatchStopped) -> Bool {
        switch self {
        case .and(let predicates):
            for predicate in predicates where try !predicate.matches(record, &watch) { return false }
            return true
        case .or(let predicates):
            for predicate in predicates where try predicate.matches(record, &watch) { return true }
            return false
        case .not(let predicate): return try !predicate.matches(record, &watch)
        case .comparison(let comparison): return try comparison.matches(record, &watch)
        }
    }
}

extension BoundComparison {
    fileprivate func matches(_ record: some QueryableRecord, _ watch: inout MatchWatch) throws(MatchStopped) -> Bool {
        switch operand {
        case .words(let fields): return try testsWords(fields, record, &watch)
        case .field(let name, let type):
            if case .tokens = test {
                return try testsWords([SearchableField(name: name, type: type)], record, &watch)
            }
            guard let value = record.value(ofField: name, as: type) else { return false }
            return try self.test(value, record, &watch)
        case .system(let key):
            guard let value = record.value(of: key) else { return false }
            return try self.test(value, record, &watch)
        }
    }

    private func test(
        _ value: FieldValue, _ record: some QueryableRecord, _ watch: inout MatchWatch
    ) throws(MatchStopped) -> Bool {
        // Counts the steps taken to read the value from the record.
        try watch.take(value.steps)
        switch test {
        case .exists: return true
        case .containsAll(let wanted):
            let elements = value.elements
            for wanted in wanted {
                try watch.take(elements.count)
                guard elements.contains(where: { $0.isEqual(to: wanted, in: record.zoneName) }) else { return false }
            }
            return true
        default:
            guard isAny else { return try test.holds(of: value, in: record.zoneName, &watch) }
            for element in value.elements where try test.holds(of: element, in: record.zoneName, &watch) {
                return true
            }
            return false
        }
    }

    private func testsWords(
        _ fields: [SearchableField], _ record: some QueryableRecord, _ watch: inout MatchWatch
    ) throws(MatchStopped) -> Bool {
        guard case .tokens(let words, let coverage) = test, !words.isEmpty else { return false }
        var missing = Set(words)
        for field in fields {
            guard let value = record.value(ofField: field.name, as: field.type) else { continue }
            for element in value.elements {
                try watch.take(element.steps)
                guard case .string(let text) = element else { continue }
                for word in Tokenizer.words(in: text) where missing.remove(word) != nil {
                    if coverage == .any || missing.isEmpty { return true }
                }
            }
        }
        return false
    }
}

extension FieldValue {
    /// The elements of a list, or a single value as the only element.
    fileprivate var elements: [FieldValue] { if case .list(let elements, _) = self { elements } else { [self] } }
}

extension QueryableRecord {
    fileprivate func value(of key: SystemKey) -> FieldValue? {
        switch key {
        case .recordName: .reference(Reference(recordName: RecordName(unchecked: recordName)))
        case .createdTimestamp: .timestamp(createdTimestamp)
        case .modifiedTimestamp: .timestamp(modifiedTimestamp)
        case .createdUserRecordName: .reference(Reference(recordName: RecordName(unchecked: createdUserRecordName)))
        case .modifiedUserRecordName: .reference(Reference(recordName: RecordName(unchecked: modifiedUserRecordName)))
        case .parent: parentRecordName.map { .reference(Reference(recordName: RecordName(unchecked: $0))) }
        // Queries do not support the share of a record.
        case .share: nil
        }
    }
}
