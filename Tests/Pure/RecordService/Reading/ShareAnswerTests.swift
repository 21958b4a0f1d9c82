import CloudKitModel
import CloudKitWire
import RecordStorage
import ServiceMessages
import Testing

@testable import RecordService

/// Shares in answers that have no room for them.
struct ShareAnswerTests {
    private static let owner = "_" + String(repeating: "a", count: 32)

    private static let share: StoredRecord = {
        let stamp = StoredRecord.Stamp(milliseconds: 1, user: owner, device: "2")
        var participants = [
            StoredParticipant(
                id: 0, user: owner, email: nil, role: .owner, permission: .readWrite, status: .accepted)
        ]
        for number: Int32 in 1..<100 {
            let email = "\(number)" + String(repeating: "x", count: 200) + "@example.org"
            participants.append(
                StoredParticipant(
                    id: number, user: nil, email: email, role: .user, permission: .readWrite, status: .invited))
        }
        return StoredRecord(
            name: RecordName(unchecked: String(repeating: "n", count: 255)), type: RecordTypeID(1), changeSeq: 1,
            changeTag: "t", fields: StoredFields(), size: 0, parent: nil, created: stamp, modified: stamp,
            sharing: StoredSharing(
                isRoot: false, shareName: "S", link: "g", publicPermission: .none, participants: participants,
                share: ShareID(1)))
    }()

    private func written(_ write: (RecordAnswer, inout WireWriter) -> Void) throws -> (json: JSONValue, count: Int) {
        let zone = ZoneAddress(
            container: "com.example", environment: .development, scope: .private,
            owner: Self.owner, zone: ZoneName(unchecked: String(repeating: "z", count: 255)))
        var writer = WireWriter(capacity: 1024)
        write(RecordAnswer(zone: zone, reader: Self.owner), &writer)
        return (try JSONValue(parsing: writer.bytes), writer.bytes.count)
    }

    @Test func shortFormHasNoParticipants() throws {
        let (json, count) = try written { $0.writeShort(Self.share, to: &$1) }
        for key in ["participants", "owner", "currentUserParticipant", "publicPermission"] {
            #expect(json[key] == nil, "\(key)")
        }
        #expect(json["shortGUID"] == "g")
        #expect(count <= RecordAnswer.shortBytes)
    }

    @Test func countedParticipantsAreThoseOfTheAnswer() throws {
        let (short, full) = (
            try written { $0.writeShort(Self.share, to: &$1) }.count,
            try written { $0.write(Self.share, desiredKeys: nil, numbersAsStrings: false, to: &$1) }.count
        )
        let counted = try #require(Self.share.sharing).participantBytes
        #expect(abs(full - short - counted) < counted / 4)
    }
}
