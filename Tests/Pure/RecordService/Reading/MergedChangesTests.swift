import CloudKitModel
import Foundation
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Events that are created from the feed follow each other without a gap, no matter which records remain in the feed.
struct MergedChangesTests {
    static let address = ZoneAddress(
        container: "c", environment: .development, scope: .private, owner: "_u", zone: "Z")

    static func events(_ range: ClosedRange<Int64>, seqs: [Int64], isComplete: Bool = true) -> [ChangeEvent] {
        let entries = seqs.map { seq in
            MergedChanges.Entry(
                change: ChangedRecord(name: "r\(seq)", type: "Note", seq: seq, kind: .updated), user: "_\(seq)", at: seq
            )
        }
        return MergedChanges(range: range, entries: entries, isComplete: isComplete)
            .events(of: address, incarnation: UUID(), xid: 77, at: 5000, token: { "t\($0)" })
    }

    @Test(arguments: [
        (1...10, [3, 7], true, [1...10]),
        (1...10, [], true, [1...10]),
        (5...5, [5], true, [5...5]),
        (1...1000, Array(1...1000), true, [1...200, 201...400, 401...600, 601...800, 801...1000]),
        (1...1000, Array(101...300), true, [1...1000]),
        (1...1000, Array(101...301), true, [1...300, 301...1000]),
        (1...9000, Array(stride(from: 2, through: 800, by: 2)), false, [1...400, 401...800]),
    ])
    func stretchesAreContiguous(
        range: ClosedRange<Int>, seqs: [Int], isComplete: Bool, expected: [ClosedRange<Int>]
    ) throws {
        let range = Int64(range.lowerBound)...Int64(range.upperBound)
        let events = Self.events(range, seqs: seqs.map(Int64.init), isComplete: isComplete)
        #expect(events.map { Int($0.fromSeq)...Int($0.toSeq) } == expected)
        let named = try events.flatMap { try $0.changedRecords() ?? [] }.map(\.seq)
        #expect(named == seqs.map(Int64.init))
        for event in events {
            let inside = try #require(try event.changedRecords()).allSatisfy {
                (event.fromSeq...event.toSeq).contains($0.seq)
            }
            #expect(inside)
            #expect(event.isMerged && !event.dropsAssets && event.client == nil)
            #expect(event.xid == 77)
            #expect(event.syncToken == "t\(event.toSeq)")
        }
    }

    @Test func anEventIsByTheUserOfItsLastRecordOrByNone() {
        let some = Self.events(1...9, seqs: [2, 4])
        #expect(some.map(\.user) == ["_4"])
        // The last changes of the range were overwritten, so their times are unknown.
        #expect(some.map(\.at) == [5000])
        #expect(Self.events(1...4, seqs: [2, 4]).map(\.at) == [4])
        let none = Self.events(1...9, seqs: [])
        #expect(none.map(\.user) == ["_world"])
        #expect(none.map(\.at) == [5000])
        #expect(none[0].records == Array("[]".utf8))
    }
}
