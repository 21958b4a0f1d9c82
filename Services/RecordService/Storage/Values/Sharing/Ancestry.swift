package import CloudKitModel

/// The parents of records, and of all records above them, as they are stored.
package struct Ancestry: Sendable {
    /// A record.
    package struct Ancestor: Sendable {
        /// The record's parent; nil if it has none or does not exist.
        package let parent: RecordName?
        /// The live share of which the record is the root; nil if there is none.
        package let share: ShareID?
        /// Whether ``ShareMoveJob`` might still have to examine the record's children (``ShareMoveTable``).
        package let isPending: Bool

        /// Creates a record.
        package init(parent: RecordName?, share: ShareID?, isPending: Bool = false) {
            (self.parent, self.share, self.isPending) = (parent, share, isPending)
        }
    }

    /// Where the parents of a record lead.
    package enum End: Sendable, Hashable {
        /// To the root of a share. The record belongs to this share.
        case share(ShareID)
        /// To a record without a parent, or to a record that does not exist. The record belongs to no share.
        case unshared
        /// Into a cycle of parents, which contains these records. The record belongs to no share.
        case cycle(Set<RecordName>)
        /// To this record, which must be read first.
        case missing(RecordKey)
    }

    /// The records that were read. The entry of a record that does not exist has neither a parent nor a share. It counts
    /// as pending, because the record might have been deleted during a move.
    package private(set) var records: [RecordKey: Ancestor] = [:]

    /// Creates an ancestry that contains no record.
    package init() {}

    /// Adds the records that were found at and above `keys`.
    package mutating func read(_ found: [RecordKey: Ancestor], above keys: [RecordKey]) {
        records.merge(found) { $1 }
        for key in keys where records[key] == nil {
            records[key] = Ancestor(parent: nil, share: nil, isPending: true)
        }
    }

    /// Follows the parents of records. Each record on the way is visited once, however many of `keys` are below it.
    ///
    /// - Returns: the end for each of `keys` and for each record above them.
    package func ends(of keys: some Sequence<RecordKey>) -> [RecordKey: End] {
        var ends: [RecordKey: End] = [:]
        for key in keys where ends[key] == nil {
            var (path, places): ([RecordKey], [RecordKey: Int]) = ([], [:])
            var (current, end): (RecordKey, End?) = (key, nil)
            while end == nil {
                if let known = ends[current] {
                    end = known
                } else if let place = places[current] {
                    end = .cycle(Set(path[place...].map(\.name)))
                } else if let record = records[current] {
                    places[current] = path.count
                    path.append(current)
                    if let share = record.share {
                        end = .share(share)
                    } else if let parent = record.parent {
                        current = RecordKey(zone: key.zone, name: parent)
                    } else {
                        end = .unshared
                    }
                } else {
                    end = .missing(current)
                }
            }
            for record in path + [key] { ends[record] = end }
        }
        return ends
    }
}
