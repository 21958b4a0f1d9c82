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

    @Test func aListThatWasNotReadIsNotWritten() throws {
        let owner = try #require(Self.share.sharing?.participants.first)
        var share = StoredShare(
            id: ShareID(1), name: "S", root: nil, publicPermission: .readOnly, link: "g", participants: [owner])
        func written(_ sharing: StoredSharing) throws -> JSONValue {
            var record = Self.share
            record.sharing = sharing
            return try self.written { $0.write(record, desiredKeys: nil, numbersAsStrings: false, to: &$1) }.json
        }
        #expect(try written(share.sharing)["participants"]?.array?.count == 1)
        share.rest = StoredShare.Rest(lastID: 7, publicUsers: 3)
        let partial = try written(share.sharing)
        #expect(partial["participants"] == nil && partial["owner"] == nil && partial["fieldsOmitted"] == true)
    }

    @Test func oneTimeLinksAreShownToThoseWhoMayGrantThem() throws {
        func participant(
            _ id: Int32, _ user: String?, _ role: ParticipantRole, _ permission: SharePermission, link: String? = nil
        ) -> StoredParticipant {
            StoredParticipant(
                id: id, user: user, email: nil, role: role, permission: permission,
                status: user == nil || link != nil ? .invited : .accepted, link: link)
        }
        let sharing = StoredSharing(
            isRoot: false, shareName: "S", link: "g", publicPermission: .none,
            participants: [
                participant(0, "o", .owner, .readWrite), participant(1, "r", .administrator, .readOnly),
                participant(2, "w", .administrator, .readWrite), participant(3, "u", .user, .readWrite),
                participant(4, nil, .user, .readWrite, link: "write"),
                participant(5, nil, .user, .readOnly, link: "read"),
                // The owner has named the user in the meantime, so the link opens nothing.
                participant(6, "v", .user, .readOnly, link: "former"),
            ], share: ShareID(1))
        let shown = ["o", "r", "w", "u"].map { reader in
            sharing.envelope(for: reader, owner: "o")?.share?.participants.compactMap(\.oneTimeGUID)
        }
        #expect(shown == [["write", "read"], ["read"], ["write", "read"], []])
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
