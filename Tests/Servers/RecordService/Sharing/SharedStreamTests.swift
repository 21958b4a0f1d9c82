import CloudKitModel
import TestGenerators
import Testing

@testable import RecordStorage

/// The index ranges of a participant's feed.
struct SharedStreamTests {
    private static func name(_ number: Int) -> RecordName { RecordName(unchecked: "r\(number)") }

    /// Whether a range contains the change `seq` of a record.
    private static func contains(_ stream: SharedStream, _ seq: Int64, _ name: RecordName) -> Bool {
        SharedRecordPlace(seq, name) > stream.after && seq <= stream.shown ?? .max
    }

    /// The places of members, computed one by one.
    private static func follows(_ position: SharedPosition, shown: Int64, _ seq: Int64, _ name: RecordName) -> Bool {
        SharedPosition(seq: shown, recordSeq: seq, name: name) > position
    }

    /// Each position is compared with each record: the ranges must contain exactly the records behind it.
    @Test func theRangesContainWhatFollowsThePosition() {
        let access = ShareAccess(
            shares: [.init(id: ShareID(1), isOfZone: false, permission: .readOnly, since: 3)],
            lost: [.init(id: ShareID(2), since: 2, until: 4)])
        for position in Self.positions {
            let (gained, departed) = (
                access.gained(after: position, horizon: 0), access.departed(after: position, horizon: 0)
            )
            let lost = access.lost(after: position, horizon: 0)
            for seq in 1...6 as ClosedRange<Int64> {
                for number in 0..<3 {
                    let name = Self.name(number)
                    let isGained = Self.follows(position, shown: max(seq, 3), seq, name)
                    #expect(gained.contains { Self.contains($0, seq, name) } == isGained, "\(position) \(seq)")
                    let hasDeparted = seq > 3 && Self.follows(position, shown: seq, seq, name)
                    let departures = departed.filter { $0.share == ShareID(1) }
                    #expect(departures.contains { Self.contains($0, seq, name) } == hasDeparted)
                    let isLost = Self.follows(position, shown: 4, seq, name)
                    #expect(lost.contains { SharedRecordPlace(seq, name) > $0.after } == isLost)
                    let leftBefore = departed.filter { $0.share == ShareID(2) }
                    #expect(
                        leftBefore.contains { SharedRecordPlace(seq, name) > $0.after } == (isLost && seq > 2),
                        "what left before access was gained is left out")
                }
            }
        }
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
        #expect(access.lost(after: .start, horizon: .max).isEmpty)
        let departed = access.departed(after: .start, horizon: .max)
        #expect(!departed.contains { Self.contains($0, 100, Self.name(0)) })
    }
}
