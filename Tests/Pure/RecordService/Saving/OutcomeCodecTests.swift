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

    @Test func theLinkOfARecordIsKeptButNotThatOfAShare() throws {
        let stamp = StoredRecord.Stamp(milliseconds: 1, user: "_u", device: "2")
        func saved(_ name: RecordName, _ sharing: StoredSharing?) -> OperationOutcome {
            .saved(
                StoredRecord(
                    name: name, type: RecordTypeID(7), changeSeq: 3, changeTag: "tag", fields: StoredFields(), size: 0,
                    parent: nil, created: stamp, modified: stamp, sharing: sharing))
        }
        let shared = StoredSharing(
            isRoot: true, shareName: "S", link: "secret", publicPermission: .none, participants: [], share: ShareID(1))
        let outcome = WriteOutcome(
            operations: [
                .deleted(name: "a"), saved("b", nil), saved("c", StoredSharing(link: "link")), saved("d", shared),
            ],
            isAtomicFailure: false)
        let decoded = try #require(OutcomeCodec.decode(OutcomeCodec.encode(outcome)))
        let links = decoded.operations.map { kept -> String? in
            if case .saved(_, _, _, _, _, let link) = kept { link } else { nil }
        }
        #expect(links == [nil, nil, "link", nil])
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
