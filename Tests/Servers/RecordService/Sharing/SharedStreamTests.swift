import CloudKitModel
import TestGenerators
import Testing

@testable import RecordStorage

/// The index ranges of a participant's feed.
struct SharedStreamTests {
    private static func name(_ number: Int) -> RecordName { RecordName(unchecked: "r\(number)") }

    /// Whether a range contains the change `seq` of a record.
    private static func contains(_ stream: SharedStream, _ seq: Int64, _ name: RecordName) -> Bool {
        let place = SharedRecordPlace(seq, name)
        return place > stream.after && place < stream.before && seq <= stream.shown ?? .max
    }

    /// The places of members, computed one by one.
    private static func contains(
        _ range: SharedFeedRange, shown: Int64, _ seq: Int64, _ name: RecordName
    ) -> Bool {
        let position = SharedPosition(seq: shown, recordSeq: seq, name: name)
        return position > range.after && position < range.before
    }

    /// Each pair of positions is compared with each record: the ranges must contain exactly the records between them.
    @Test func theRangesContainWhatIsBetweenThePositions() {
        for after in Self.positions {
            for before in Self.positions where after < before {
                Self.compare(SharedFeedRange(after: after, before: before, descends: true, horizon: 0))
            }
            Self.compare(SharedFeedRange(after: after, horizon: 0))
        }
    }

    private static func compare(_ range: SharedFeedRange) {
        let access = ShareAccess(
            shares: [.init(id: ShareID(1), isOfZone: false, permission: .readOnly, since: 3)],
            lost: [.init(id: ShareID(2), since: 2, until: 4)])
        let (gained, departed, lost) = (access.gained(in: range), access.departed(in: range), access.lost(in: range))
        var wrong: [String] = []
        for seq in 1...6 as ClosedRange<Int64> {
            for number in 0..<3 {
                let name = name(number)
                func compare(_ streams: [SharedStream], _ isExpected: Bool, _ what: String) {
                    let isFound = streams.contains { stream in
                        contains(stream, seq, name)
                            || stream.shown != nil && stream.share == ShareID(2)
                                && SharedRecordPlace(seq, name) > stream.after
                                && SharedRecordPlace(seq, name) < stream.before
                    }
                    if isFound != isExpected { wrong.append("\(what) \(seq) \(name)") }
                }
                compare(gained, contains(range, shown: max(seq, 3), seq, name), "gained")
                compare(
                    departed.filter { $0.share == ShareID(1) },
                    seq > 3 && contains(range, shown: seq, seq, name), "departed")
                let isLost = contains(range, shown: 4, seq, name)
                compare(lost, isLost, "lost")
                // What left before access was gained is left out.
                compare(departed.filter { $0.share == ShareID(2) }, isLost && seq > 2, "departed from the lost share")
            }
        }
        #expect(wrong == [], "\(range)")
    }

    private static var positions: [SharedPosition] {
        var positions = [SharedPosition.start]
        for seq in 0...6 as ClosedRange<Int64> {
            positions.append(.end(of: seq))
            // By change 4, records of other changes become visible.
            for recordSeq in 1...6 as ClosedRange<Int64> where recordSeq <= seq || seq == 4 {
                for number in 0..<3 {
                    positions.append(SharedPosition(seq: seq, recordSeq: recordSeq, name: name(number)))
                }
            }
        }
        return positions
    }

    @Test func theFirstPageHasNoDeletions() {
        let access = ShareAccess(
            shares: [.init(id: ShareID(1), isOfZone: false, permission: .readOnly, since: 3)],
            lost: [.init(id: ShareID(2), since: 2, until: 4)])
        let range = SharedFeedRange(after: .start, horizon: .max)
        #expect(access.lost(in: range).isEmpty)
        let departed = access.departed(in: range)
        #expect(!departed.contains { Self.contains($0, 100, Self.name(0)) })
    }
}
