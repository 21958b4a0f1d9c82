package import CloudKitModel

/// The parents of records, and of all records above them, as they are stored.
package struct Ancestry: Sendable {
    /// A record.
    package struct Ancestor: Sendable {
        /// The record's parent; nil if it has none or does not exist.
        package let parent: RecordName?
        /// The live share of which the record is the root; nil if there is none.
        package let share: ShareID?

        /// Creates a record.
        package init(parent: RecordName?, share: ShareID?) { (self.parent, self.share) = (parent, share) }
    }

    /// A walk from a record to the nearest root of a share above it.
    package struct Walk: Sendable {
        /// The share to which the record belongs; nil if it belongs to none.
        package fileprivate(set) var share: ShareID?
        /// The names of the records on the way, beginning with the record itself.
        package fileprivate(set) var names: Set<RecordName> = []
    }

    /// The records that were read. The entry of a record that does not exist has neither a parent nor a share.
    package private(set) var records: [RecordKey: Ancestor] = [:]

    /// Creates an ancestry that contains no record.
    package init() {}

    /// Adds the records that were found at and above `keys`.
    package mutating func read(_ found: [RecordKey: Ancestor], above keys: [RecordKey]) {
        records.merge(found) { $1 }
        for key in keys where records[key] == nil { records[key] = Ancestor(parent: nil, share: nil) }
    }

    /// Walks up from a record. Records in a cycle of parents belong to no share.
    ///
    /// - Returns: the walk, or the ancestor that must be read first.
    package func walk(from key: RecordKey) -> (walk: Walk, missing: RecordKey?) {
        var (walk, current) = (Walk(), key)
        while walk.names.insert(current.name).inserted {
            guard let record = records[current] else { return (walk, current) }
            if let share = record.share {
                walk.share = share
                break
            }
            guard let parent = record.parent else { break }
            current = RecordKey(zone: key.zone, name: parent)
        }
        return (walk, nil)
    }
}
