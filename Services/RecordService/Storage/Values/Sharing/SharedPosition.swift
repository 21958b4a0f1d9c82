package import CloudKitModel

/// A position in a participant's feed of a zone. The feed shows each record once, in order of these positions.
package struct SharedPosition: Sendable, Hashable, Comparable {
    /// The number of the change that shows the record to the participant: the record's last change or, if it is later,
    /// the change that gave the participant access to the share.
    package var seq: Int64
    /// The number of the record's own last change. It is needed because one change can make many records visible.
    package var recordSeq: Int64
    /// The name of the record. It is needed because one change can add many records to a share.
    package var name: RecordName

    /// Creates a position.
    package init(seq: Int64, recordSeq: Int64, name: RecordName) {
        self.seq = seq
        self.recordSeq = recordSeq
        self.name = name
    }

    /// The beginning of the feed.
    package static let start = SharedPosition(seq: 0, recordSeq: 0, name: RecordName(unchecked: ""))

    /// The end of every feed.
    package static let last = SharedPosition.end(of: .max)

    /// Returns the position after all records shown by the changes up to `seq`.
    package static func end(of seq: Int64) -> SharedPosition {
        SharedPosition(seq: seq, recordSeq: .max, name: RecordName(unchecked: ""))
    }

    /// The order of the feed.
    package static func < (left: SharedPosition, right: SharedPosition) -> Bool {
        if left.seq != right.seq { return left.seq < right.seq }
        if left.recordSeq != right.recordSeq { return left.recordSeq < right.recordSeq }
        return left.name.rawValue.utf8.lexicographicallyPrecedes(right.name.rawValue.utf8)
    }
}
