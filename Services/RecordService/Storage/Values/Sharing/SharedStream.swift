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

    /// The order of the index.
    package static func < (left: SharedRecordPlace, right: SharedRecordPlace) -> Bool {
        if left.seq != right.seq { return left.seq < right.seq }
        return left.name.rawValue.utf8.lexicographicallyPrecedes(right.name.rawValue.utf8)
    }
}

extension ShareAccess {
    /// Returns the streams of the records that the participant may see: first the records that were in a share when the
    /// participant gained access to it, then the records that changed afterwards.
    ///
    /// - Parameter horizon: the number up to which deletions are left out.
    package func gained(after position: SharedPosition, horizon: Int64) -> [SharedStream] {
        shares.compactMap { share in
            position.behind(share.since).map {
                SharedStream(share: share.id, shown: share.since, after: $0, known: .max)
            }
        }
            + shares.map { share in
                SharedStream(
                    share: share.id, shown: nil, after: max(position.ownPlace, .end(of: share.since)), known: horizon)
            }
    }

    /// Returns the streams of the records that left shares: shares that the participant may see, and shares to which
    /// the participant lost access.
    package func departed(after position: SharedPosition, horizon: Int64) -> [SharedStream] {
        shares.map { share in
            let known = max(share.since, horizon)
            return SharedStream(
                share: share.id, shown: nil, after: max(position.ownPlace, .end(of: known)), known: known)
        }
            + lost(after: position, horizon: horizon).map { stream in
                SharedStream(
                    share: stream.share, shown: stream.shown, after: max(stream.after, .end(of: stream.known)),
                    known: stream.known)
            }
    }

    /// Returns the streams of the records in the shares to which the participant lost access.
    package func lost(after position: SharedPosition, horizon: Int64) -> [SharedStream] {
        lost.compactMap { lost in
            guard lost.until > horizon else { return nil }
            return position.behind(lost.until).map {
                SharedStream(share: lost.id, shown: lost.until, after: $0, known: max(lost.since, horizon))
            }
        }
    }
}

extension SharedPosition {
    /// The place in the streams of records that appear at their own changes.
    fileprivate var ownPlace: SharedRecordPlace {
        if recordSeq > seq { return .end(of: seq) }
        return SharedRecordPlace(seq, recordSeq == seq ? name : RecordName(unchecked: ""))
    }

    /// Returns the place in a stream of records that appear at the change `shown`; nil if no such records follow.
    fileprivate func behind(_ shown: Int64) -> SharedRecordPlace? {
        if shown < seq || (shown == seq && recordSeq == .max) { return nil }
        return shown == seq ? SharedRecordPlace(recordSeq, name) : SharedRecordPlace(0, RecordName(unchecked: ""))
    }
}
