internal import CloudKitModel
internal import CloudKitQuery
internal import SubscriptionStorage

extension EqualityTerm {
    /// Returns the terms of a record whose keys are in `keys`.
    static func terms(of record: EventRecord, keys: Set<Int64>) -> [EqualityTerm] {
        var terms: [EqualityTerm] = []
        func add(_ key: QueryKey, _ value: FieldValue) {
            guard keys.contains(digest(of: key)), let term = EqualityTerm(key, value) else { return }
            terms.append(term)
        }
        if keys.contains(none.key) { terms.append(none) }
        for (name, value) in record.fields { add(.field(name), value) }
        add(.system(.recordName), .string(record.recordName))
        add(.system(.createdTimestamp), .timestamp(record.createdTimestamp))
        add(.system(.modifiedTimestamp), .timestamp(record.modifiedTimestamp))
        add(.system(.createdUserRecordName), .string(record.createdUserRecordName))
        add(.system(.modifiedUserRecordName), .string(record.modifiedUserRecordName))
        if let parent = record.parentRecordName { add(.system(.parent), .string(parent)) }
        return terms
    }
}
