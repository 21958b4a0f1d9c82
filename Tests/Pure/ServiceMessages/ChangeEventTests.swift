import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import ServiceMessages
import Testing

struct ChangeEventTests {
    static let changes = [
        ChangedRecord(name: "a", type: "Note", seq: 4, kind: .created, changedKeys: ["t", "n"]),
        ChangedRecord(name: "b/ü", type: "Photo", seq: 5, kind: .deleted, droppedAssets: ["c1", "c2"]),
    ]

    static func event(records: [UInt8]? = ChangedRecord.json(changes)) -> ChangeEvent {
        ChangeEvent(
            address: ZoneAddress(
                container: "iCloud.t", environment: .development, scope: .private, owner: "_u", zone: "Z.1"),
            incarnation: UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF")!, fromSeq: 4, toSeq: 5, xid: .max,
            client: "c", user: "_u", at: 1_700_000_000_123, syncToken: "AA==", records: records)
    }

    @Test(arguments: [true, false])
    func anEventComesBackAsItWent(isMerged: Bool) throws {
        var event = Self.event()
        event.isMerged = isMerged
        event.isDeletion = !isMerged
        event.client = isMerged ? nil : "c"
        let read = try ChangeEvent(decoding: event.json(bounded: true))
        #expect(read == event)
        #expect(try read.changedRecords() == Self.changes)
    }

    @Test func whatIsTooLongForAnEventIsLeftToTheLog() throws {
        let many = (0..<3000).map {
            ChangedRecord(name: "\($0)\(String(repeating: "x", count: 90))", type: "T", seq: 1, kind: .updated)
        }
        let event = Self.event(records: ChangedRecord.json(many))
        let bounded = event.json(bounded: true)
        #expect(bounded.count < ChangeEvent.maxBytes)
        #expect(try ChangeEvent(decoding: bounded).changedRecords() == nil)
        #expect(try ChangeEvent(decoding: event.json(bounded: false)).changedRecords() == many)
    }

    @Test func theMessageHasItsZonesKeyAndTheAssetServicesOnlyWhenAssetsWereDropped() {
        var event = Self.event()
        let plain = event.message()
        #expect(plain.exchange == "zonda.changes")
        #expect(plain.routingKey.hasSuffix(".iCloud%2Et.development.private._u.Z%2E1"))
        #expect(plain.properties.messageID == "6f9619ff-8b86-d011-b42d-00c04fc964ff.5")
        #expect(plain.properties.headers["CC"] == nil)
        event.dropsAssets = true
        #expect(event.message().properties.headers["CC"] == .array([.string("assets.dropped")]))
    }

    @Test func valuesAndTheNumberOfTheRightsComeBackAsTheyWent() throws {
        let record: JSONValue = [
            "recordName": "a",
            "fields": ["x": ["value": 1.5, "type": "DOUBLE"], "t": ["value": "\"ü\u{1F}", "type": "STRING"]],
        ]
        let changes = [
            ChangedRecord(name: "a", type: "Note", seq: 4, kind: .updated, record: record),
            ChangedRecord(name: "b", type: "Note", seq: 5, kind: .deleted),
        ]
        var event = Self.event(records: ChangedRecord.json(changes))
        event.rights = 77
        let read = try ChangeEvent(decoding: event.json(bounded: true))
        #expect(read == event)
        #expect(try read.changedRecords() == changes)
    }

    @Test(arguments: [(10_000, [5]), (1_000, [2, 1, 2]), (500, [1, 1, 1, 1, 1]), (1, [1, 1, 1, 1, 1])])
    func changesAreCutWhereTheyAreTooLong(maxBytes: Int, expected: [Int]) throws {
        let changes = (0..<5).map {
            ChangedRecord(
                name: "\($0)", type: "T", seq: $0, kind: .updated,
                record: .string(String(repeating: "x", count: 300)))
        }
        let pieces = ChangedRecord.pieces(changes[...], maxBytes: maxBytes)
        #expect(pieces.map(\.changes.count) == expected)
        #expect(pieces.flatMap(\.changes) == changes)
        for piece in pieces { #expect(piece.json == ChangedRecord.json(piece.changes)) }
        #expect(ChangedRecord.pieces([], maxBytes: 1).isEmpty)
    }

    @Test(arguments: ["version", "container", "incarnation", "fromSeq", "xid", "user"])
    func aMissingKeyIsNamed(key: String) throws {
        let text = String(decoding: Self.event().json(bounded: true), as: UTF8.self)
        let damaged = text.replacing("\"\(key)\":", with: "\"other\":", maxReplacements: 1)
        let error = #expect(throws: ServerError.self) { try ChangeEvent(decoding: Array(damaged.utf8)) }
        #expect(error?.field == key)
    }

    @Test func recordsOfAnotherFormAreRefused() throws {
        let event = Self.event(records: Array(#"[{"recordName":"a"}]"#.utf8))
        #expect(throws: ServerError.self) { try event.changedRecords() }
    }

    /// A JSON null is a `JSONValue`, not nil. The decoder must convert it to nil.
    @Test func aRecordThatIsNullIsNotThere() throws {
        let json = try JSONValue(
            parsing: #"{"recordName": "a", "recordType": "Note", "seq": 4, "change": "updated", "record": null}"#)
        #expect(try ChangedRecord(json).record == JSONValue?.none)
    }
}
