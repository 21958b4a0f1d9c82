package import CloudKitModel

/// A part of a participant's feed, read from one range of an index. The records are in the order of the index: by the
/// number of the record's own change, then by name.
package struct SharedStream: Sendable, Hashable {
    /// The share.
    package let share: ShareID
    /// The number of the change at which the records appear in the feed; nil if each record appears at its own change.
    package let shown: Int64?
    /// The place after which the range begins.
    package let after: SharedRecordPlace
    /// The place before which the range ends.
    package let before: SharedRecordPlace
    /// Deletions up to this number are left out, because the reader has never seen the deleted records.
    package let known: Int64
}

/// The number of a record's own change, along with the record's name.
package struct SharedRecordPlace: Sendable, Hashable, Comparable {
    /// The number.
    package let seq: Int64
    /// The name.
    package let name: RecordName

    /// Creates a place.
    package init(_ seq: Int64, _ name: RecordName) {
        self.seq = seq
        self.name = name
    }

    /// The place after all records whose own changes have numbers up to `seq`. Its name is empty, unlike any record's
    /// name.
    package static func end(of seq: Int64) -> SharedRecordPlace {
        SharedRecordPlace(seq == .max ? seq : seq + 1, RecordName(unchecked: ""))
    }

    /// The place after all records.
    static let last = SharedRecordPlace(.max, RecordName(unchecked: ""))

    /// The order of the index.
    package static func < (left: SharedRecordPlace, right: SharedRecordPlace) -> Bool {
        if left.seq != right.seq { return left.seq < right.seq }
        return left.name.rawValue.utf8.lexicographicallyPrecedes(right.name.rawValue.utf8)
    }
}

extension ShareAccess {
    /// Returns the streams of the records that the participant may see: first the records that were in a share when the
    /// participant gained access to it, then the records that changed afterwards.
    package func gained(in range: SharedFeedRange) -> [SharedStream] {
        shares.compactMap { share in
            range.places(shownAt: share.since).map {
                SharedStream(share: share.id, shown: share.since, after: $0.after, before: $0.before, known: .max)
            }
        }
            + shares.map { share in
                SharedStream(
                    share: share.id, shown: nil, after: max(range.after.ownPlace, .end(of: share.since)),
                    before: range.before.ownPlace, known: range.horizon)
            }
    }

    /// Returns the streams of the records that left shares: shares that the participant may see, and shares to which
    /// the participant lost access.
    package func departed(in range: SharedFeedRange) -> [SharedStream] {
        shares.map { share in
            let known = max(share.since, range.horizon)
            return SharedStream(
                share: share.id, shown: nil, after: max(range.after.ownPlace, .end(of: known)),
                before: range.before.ownPlace, known: known)
        }
            + lost(in: range).map { stream in
                SharedStream(
                    share: stream.share, shown: stream.shown, after: max(stream.after, .end(of: stream.known)),
                    before: stream.before, known: stream.known)
            }
    }

    /// Returns the streams of the records in the shares to which the participant lost access.
    package func lost(in range: SharedFeedRange) -> [SharedStream] {
        lost.compactMap { lost in
            guard lost.until > range.horizon else { return nil }
            return range.places(shownAt: lost.until).map {
                SharedStream(
                    share: lost.id, shown: lost.until, after: $0.after, before: $0.before,
                    known: max(lost.since, range.horizon))
            }
        }
    }
}

extension SharedFeedRange {
    /// Returns the places between which the records that appear at the change `shown` are in the range; nil if there
    /// are none.
    fileprivate func places(shownAt shown: Int64) -> (after: SharedRecordPlace, before: SharedRecordPlace)? {
        if shown < after.seq || (shown == after.seq && after.recordSeq == .max) || shown > before.seq { return nil }
        return (
            shown == after.seq
                ? SharedRecordPlace(after.recordSeq, after.name) : SharedRecordPlace(0, RecordName(unchecked: "")),
            shown == before.seq ? SharedRecordPlace(before.recordSeq, before.name) : .last
        )
    }
}

extension SharedPosition {
    /// The place that separates the records that appear at their own changes: those before it precede this position, and
    /// those after it follow this position.
    fileprivate var ownPlace: SharedRecordPlace {
        if recordSeq > seq { return .end(of: seq) }
        return SharedRecordPlace(seq, recordSeq == seq ? name : RecordName(unchecked: ""))
    }
}
