import CloudKitModel
import CloudKitWire
import Testing

@testable import RecordService
@testable import RecordStorage

struct OutcomeCodecTests {
    @Test func whatIsKeptComesBack() throws {
        let stamp = StoredRecord.Stamp(milliseconds: -5, user: "_u", device: "phone")
        let record = StoredRecord(
            name: "ä", type: RecordTypeID(7), changeSeq: 3, changeTag: "tag", fields: StoredFields(), size: 0,
            parent: nil, created: stamp, modified: stamp)
        let error = ServerError.recordTooLarge(limit: 10, actual: 20, largest: [("f", 15)])
        let outcome = WriteOutcome(
            operations: [
                .saved(record), .deleted(name: "b"), .failed(error, name: "c", server: record),
                .failed(.missingKey("recordName"), name: nil, server: nil),
            ], isAtomicFailure: true)
        let decoded = try #require(OutcomeCodec.decode(OutcomeCodec.encode(outcome)))
        #expect(decoded.isAtomicFailure)
        #expect(
            decoded.operations == [
                .saved(name: "ä", type: RecordTypeID(7), changeTag: "tag", created: stamp, modified: stamp),
                .deleted(name: "b"), .failed(error, name: "c"), .failed(.missingKey("recordName"), name: nil),
            ])
    }

    @Test func aRefusalOfTheWholeRequestIsNoOutcomeOfOperations() {
        let error = ServerError.missingKey("operations")
        let bytes = OutcomeCodec.encode(refusal: error)
        #expect(OutcomeCodec.decodeRefusal(bytes) == error)
        #expect(OutcomeCodec.decode(bytes) == nil)
    }

    @Test func damageIsFound() {
        let bytes = OutcomeCodec.encode(
            WriteOutcome(operations: [.deleted(name: "record")], isAtomicFailure: false))
        for length in 0..<bytes.count { #expect(OutcomeCodec.decode(Array(bytes.prefix(length))) == nil) }
    }
}
