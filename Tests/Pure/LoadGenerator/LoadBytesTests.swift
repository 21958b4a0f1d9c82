import CloudKitWire
import Testing

@testable import CommandLineSession
@testable import LoadGenerator

@Suite struct LoadBytesTests {
    private let names = LoadNames(run: "r1", zonePrefix: "load")

    @Test(arguments: [300, 500, 20_000])
    func aModifyBodyIsValidWithItsNamesAndNumbersAndEachOperationHasTheSize(size: Int) throws {
        let bodies = LoadBodies(names: names, slot: 3, sizeBytes: size, seed: 1)
        let writes = [RecordLedger.Write(record: 12, number: 99), RecordLedger.Write(record: 0, number: 100)]
        let json = try JSONValue(parsing: bodies.modify(zone: 7, writes, fillerOffset: 4094))
        #expect(json["zoneID"]?["zoneName"]?.string == "load-7")
        let operations = json["operations"]?.array ?? []
        #expect(operations.map { $0["record"]?["recordName"]?.string } == ["r1.3.12", "r1.3.0"])
        #expect(operations.map { $0["record"]?["fields"]?["n"]?["value"]?.int } == [99, 100])
        #expect(operations.allSatisfy { $0.encoded().count == size })
    }

    @Test func aLookupBodyNamesItsRecords() throws {
        let bodies = LoadBodies(names: names, slot: 3, sizeBytes: 500, seed: 1)
        let json = try JSONValue(parsing: bodies.lookup(zone: 10, records: [4, 5]))
        #expect(json["zoneID"]?["zoneName"]?.string == "load-10")
        #expect(json["records"]?.array?.compactMap { $0["recordName"]?.string } == ["r1.3.4", "r1.3.5"])
    }

    @Test func theSmallestAllowedSizeHoldsTheLargestNamesAndNumbers() {
        let names = LoadNames(run: "r" + String(UInt64.max, radix: 36), zonePrefix: "load")
        let bodies = LoadBodies(names: names, slot: 99_999, sizeBytes: LoadBodies.leastSizeBytes, seed: 1)
        let write = RecordLedger.Write(record: 99_999_999, number: .max)
        let one = bodies.modify(zone: 0, [write], fillerOffset: 0)
        let two = bodies.modify(zone: 0, [write, write], fillerOffset: 0)
        #expect(two.count - one.count - 1 == LoadBodies.leastSizeBytes)
    }

    @Test func aRecordsNameHasItsSlotAndIndexAndOtherRunsNamesHaveNone() {
        #expect(
            names.record(named: names.record(LoadNames.Record(slot: 8, index: 77)))
                == LoadNames.Record(slot: 8, index: 77))
        for name in ["r2.8.77", "r1.8", "r1.8.x", "r1.8.77.1", ""] { #expect(names.record(named: name) == nil) }
    }

    @Test(
        arguments: [
            (#"{"records":[{"fields":{"n":{"value":5,"type":"INT64"}}}]}"#, [5]),
            (
                #"{"records":[{"fields":{"text":{"value":"n"},"n":{"type":"INT64","value":41}}},{"fields":{"n":{"value": 6}}}]}"#,
                [41, 6]
            ),
            (#"{"records":[]}"#, []),
        ] as [(String, [UInt32])])
    func theNumbersOfAReplyAreFoundWhicheverKeyOfTheFieldComesFirst(reply: String, numbers: [UInt32]) {
        #expect(ReplyScan.numbers(in: Array(reply.utf8)) == numbers)
    }

    @Test(
        arguments: [
            (#"{"records":[{"recordName":"a"}]}"#, nil),
            (#"{"records":[{"recordName":"a"},{"serverErrorCode":"CONFLICT","reason":"x"}]}"#, "CONFLICT"),
            (
                #"{"serverErrorCode":"ATOMIC_ERROR","records":[{"serverErrorCode":"ATOMIC_ERROR"},{"serverErrorCode":"CONFLICT"}]}"#,
                "CONFLICT"
            ),
            (#"{"serverErrorCode":"ATOMIC_ERROR","records":[]}"#, "ATOMIC_ERROR"),
            (#"{"serverErrorCode" : "ZONE_NOT_FOUND"}"#, "ZONE_NOT_FOUND"),
            ("", nil),
        ] as [(String, String?)])
    func theFirstErrorCodeOfAReplyIsFoundWhereverItStands(reply: String, code: String?) {
        #expect(ReplyScan.errorCode(in: Array(reply.utf8)) == code)
    }
}
