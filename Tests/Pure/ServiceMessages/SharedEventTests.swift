import CloudKitModel
import CloudKitWire
import Foundation
import ServiceMessages
import Testing

/// What events say about shares.
struct SharedEventTests {
    private static let changes = [
        ChangedRecord(name: "a", type: "Note", seq: 4, kind: .updated, shares: .init(before: 7, after: 7)),
        ChangedRecord(
            name: "b", type: "Note", seq: 5, kind: .updated, shares: .init(before: nil, after: 8, movesBelow: true)),
        ChangedRecord(name: "c", type: "Note", seq: 6, kind: .deleted, shares: .init(before: 9, after: nil)),
        ChangedRecord(name: "d", type: "Note", seq: 7, kind: .created),
    ]

    private static func event(_ shares: ChangeEvent.Shares?) -> ChangeEvent {
        var event = ChangeEventTests.event(records: ChangedRecord.json(changes))
        event.toSeq = 7
        event.shares = shares
        return event
    }

    @Test(arguments: [
        nil, ChangeEvent.Shares(versions: [7: 1, 8: 2]), ChangeEvent.Shares(versions: [7: 3], zone: 7),
        ChangeEvent.Shares(unlisted: [1, 2]), ChangeEvent.Shares(isAll: true),
    ])
    func sharesComeBackAsTheyWent(shares: ChangeEvent.Shares?) throws {
        let event = Self.event(shares)
        let read = try ChangeEvent(decoding: event.json(bounded: true))
        #expect(read == event)
        #expect(try read.changedRecords() == Self.changes)
    }

    @Test func anEventWithoutSharesHasNoMemberAboutThem() throws {
        let text = String(decoding: ChangeEventTests.event().json(bounded: true), as: UTF8.self)
        #expect(!text.contains("share"))
        #expect(ChangedRecord.Shares(before: nil, after: nil) == nil)
        #expect(ChangeEvent.Shares() == nil)
    }

    @Test func theVersionsInAnEventHaveABound() throws {
        let shares = ChangeEvent.Shares(
            versions: Dictionary(uniqueKeysWithValues: (1...1000).map { (Int64.max - $0, Int64.max) }), zone: .max)
        let long = ChangedRecord(
            name: "a", type: "T", seq: 4, kind: .updated,
            record: .string(String(repeating: "x", count: ChangeEvent.maxRecordsBytes - 200)))
        var event = ChangeEventTests.event(records: ChangedRecord.json([long]))
        event.shares = shares
        let bytes = event.json(bounded: true)
        #expect(bytes.count < ChangeEvent.maxBytes)
        let read = try ChangeEvent(decoding: bytes)
        #expect(read.records != nil && read.shares?.versions.count == ChangeEvent.Shares.maxVersions)
    }

    @Test func aMalformedMemberIsNoDefectOfTheEvent() throws {
        let event = Self.event(ChangeEvent.Shares(versions: [7: 1]))
        let text = String(decoding: event.json(bounded: true), as: UTF8.self)
        for other in ["\"shares\":null", "\"shares\":[1]", "\"shares\":{\"versions\":[[7],8]}"] {
            let changed = text.replacingOccurrences(of: "\"shares\":{\"versions\":[[7,1]]}", with: other)
            #expect(changed != text)
            #expect(try ChangeEvent(decoding: Array(changed.utf8)).shares == nil)
        }
    }
}
