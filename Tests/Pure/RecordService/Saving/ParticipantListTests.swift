import CloudKitModel
import CloudKitWire
import Foundation
import RecordStorage
import Testing

@testable import RecordService

/// The participants of a share when its owner saves it (semantics 11.2).
struct ParticipantListTests {
    private static let owner = "_" + String(repeating: "a", count: 32)

    private static func user(_ digit: Character) -> UserName {
        UserName(unchecked: "_" + String(repeating: digit, count: 32))
    }

    private static func sent(
        _ user: Character, _ permission: SharePermission? = nil, role: ParticipantRole? = nil
    ) -> WireParticipant {
        WireParticipant(user: Self.user(user), role: role, permission: permission)
    }

    /// A list whose participants have accepted by change 5, and have the ids of earlier releases.
    private static func list(_ sent: WireParticipant..., accepted: Bool = true) throws -> ParticipantList {
        var list = ParticipantList(owner: owner, seq: 1)
        try list.replace(with: sent, limit: 100, seq: 1)
        let participants = list.participants.map { participant in
            var participant = participant
            participant.uuid = nil
            if accepted {
                participant.status = .accepted
                participant.since = 5
            }
            return participant
        }
        return ParticipantList(participants)
    }

    @Test func newParticipantsAreInvitedToRead() throws {
        var list = ParticipantList(owner: Self.owner, seq: 1)
        try list.replace(
            with: [Self.sent("b"), WireParticipant(email: "Ada@Example.org", permission: .readWrite)], limit: 100,
            seq: 1)
        #expect(list.participants.map(\.status) == [.accepted, .invited, .invited])
        #expect(list.participants.map(\.permission) == [.readWrite, .readOnly, .readWrite])
        #expect(list.participants.map(\.role) == [.owner, .user, .user])
        #expect(list.participants[2].email == "ada@example.org")
        #expect(list.rows.map(\.id) == [0, 1, 2])
    }

    @Test func whoIsListedAlreadyIsUpdatedAndWhoIsMissingIsRemoved() throws {
        var list = try Self.list(Self.sent("b"), Self.sent("c"))
        try list.replace(with: [Self.sent("b", .readWrite)], limit: 100, seq: 9)
        #expect(list.participants.map(\.status) == [.accepted, .accepted, .removed])
        #expect(list.participants[1].permission == .readWrite)
        #expect(list.participants[1].since == 5)
        #expect(list.participants[2].until == 9)
        #expect(list.rows.map(\.id) == [1, 2])
        #expect(list.changesAccess)
    }

    /// The public permission of the time when the user had joined does not outlive the access.
    @Test(arguments: [SharePermission.readOnly, nil])
    func aFormerPublicUserIsInvitedWithThePermissionOfTheInvitation(permission: SharePermission?) throws {
        let former = StoredParticipant(
            id: 1, user: Self.user("b").rawValue, email: nil, role: .publicUser, permission: .readWrite,
            status: .removed, since: 5, until: 7)
        var list = ParticipantList(try Self.list().participants + [former])
        try list.replace(with: [Self.sent("b", permission)], limit: 100, seq: 9)
        #expect(list.participants[1].status == .invited)
        #expect(list.participants[1].role == .user)
        #expect(list.participants[1].permission == .readOnly)
        try list.replace(with: [Self.sent("b", .readWrite)], limit: 100, seq: 10)
        #expect(list.participants[1].permission == .readWrite)
    }

    @Test func unchangedListChangesNothing() throws {
        var list = try Self.list(Self.sent("b"))
        try list.replace(with: [Self.sent("b")], limit: 100, seq: 9)
        #expect(list.rows.isEmpty)
        #expect(!list.changesAccess)
    }

    @Test func whoWasRemovedIsInvitedAgain() throws {
        var list = try Self.list(Self.sent("b"))
        try list.replace(with: [], limit: 100, seq: 9)
        try list.replace(with: [Self.sent("b", .readWrite)], limit: 100, seq: 10)
        #expect(list.participants.count == 2)
        #expect(list.participants[1].status == .invited)
        #expect(list.participants[1].until == 9)
    }

    @Test func hundredAndFirstParticipantIsOneTooMany() throws {
        let sent = (0..<101).map { WireParticipant(email: "\($0)@example.org") }
        var list = ParticipantList(owner: Self.owner, seq: 1)
        try list.replace(with: Array(sent.prefix(100)), limit: 100, seq: 1)
        let error = #expect(throws: ServerError.self) { try list.replace(with: sent, limit: 100, seq: 2) }
        #expect(error?.ckErrorCode == 29)
    }

    @Test(arguments: [
        [WireParticipant()], [WireParticipant(email: "nobody")], [WireParticipant(email: "a b@example.org")],
        [WireParticipant(email: "x@example.org"), WireParticipant(email: "X@EXAMPLE.ORG")],
        [WireParticipant(user: UserName(unchecked: owner), role: .user)],
        [WireParticipant(email: "x@example.org", role: .owner)],
    ])
    func participantThatCannotBeIsRefused(sent: [WireParticipant]) throws {
        var list = ParticipantList(owner: Self.owner, seq: 1)
        let error = #expect(throws: ServerError.self) { try list.replace(with: sent, limit: 100, seq: 1) }
        #expect(error?.reasonCode == "participant_invalid")
    }

    @Test func publicPermissionEndsOpenInvitations() throws {
        var list = try Self.list(Self.sent("b"), Self.sent("c"), accepted: false)
        list.publicPermissionChanged(from: .none, to: .readOnly, seq: 9)
        #expect(list.participants.map(\.status) == [.accepted, .removed, .removed])
        var accepted = try Self.list(Self.sent("b"))
        accepted.publicPermissionChanged(from: .none, to: .readOnly, seq: 9)
        #expect(accepted.participants.map(\.status) == [.accepted, .accepted])
    }

    @Test func withoutPublicPermissionUsersOfTheLinkLoseAccess() throws {
        let joined = StoredParticipant(
            id: 1, user: Self.user("b").rawValue, email: nil, role: .publicUser, permission: .readOnly,
            status: .accepted, since: 5)
        var list = ParticipantList(ParticipantList(owner: Self.owner, seq: 1).participants + [joined])
        list.publicPermissionChanged(from: .readOnly, to: .readWrite, seq: 8)
        #expect(list.participants[1].permission == .readWrite)
        list.publicPermissionChanged(from: .readWrite, to: .none, seq: 9)
        #expect(list.participants[1].status == .removed)
        #expect(list.participants[1].until == 9)
    }

    @Test(arguments: ["7.0", "6.2", "1", "5.9", "05.1", "5.1.1", "x.1", ""])
    func idOfNoParticipantOfThisShareIsRefused(id: String) throws {
        var list = ParticipantList(try Self.list(Self.sent("b"), Self.sent("c")).participants, of: ShareID(5))
        let error = #expect(throws: ServerError.self) {
            try list.replace(with: [WireParticipant(id: id, user: Self.user("b"))], limit: 100, seq: 9)
        }
        #expect(error?.reasonCode == "participant_invalid")
        // A new share has no participants with ids.
        var new = ParticipantList(owner: Self.owner, seq: 1)
        #expect(throws: ServerError.self) {
            try new.replace(with: [WireParticipant(id: "1.0", user: Self.user("b"))], limit: 100, seq: 1)
        }
    }

    @Test func idNamesAParticipantAlone() throws {
        var list = ParticipantList(
            try Self.list(Self.sent("b"), WireParticipant(email: "c@example.org")).participants, of: ShareID(5))
        try list.replace(
            with: [WireParticipant(id: "5.1", permission: .readWrite), WireParticipant(id: "5.2")], limit: 100, seq: 9)
        #expect(list.participants.map(\.status) == [.accepted, .accepted, .accepted])
        #expect(list.rows.map(\.id) == [1])
    }

    @Test func idOfANewParticipantContainsNoNumber() throws {
        let seed = ParticipantSeed()
        var list = ParticipantList(try Self.list(Self.sent("b")).participants, of: ShareID(5), seed: seed)
        try list.replace(with: [Self.sent("b"), Self.sent("c")], limit: 100, seq: 9)
        let ids = list.participants.map { $0.wireID(in: ShareID(5)) }
        #expect(ids.prefix(2) == ["5.0", "5.1"])
        #expect(UUID(uuidString: ids[2]) != nil && ids[2] == seed.id(of: 2).uuidString)
        #expect(seed.id(of: 2) != seed.id(of: 3) && seed.id(of: 2) != ParticipantSeed().id(of: 2))
        try list.replace(with: [WireParticipant(id: ids[2], permission: .readWrite)], limit: 100, seq: 10)
        #expect(list.participants.map(\.status) == [.accepted, .removed, .invited])
        #expect(throws: ServerError.self) {
            try list.replace(with: [WireParticipant(id: "5.2", user: Self.user("c"))], limit: 100, seq: 11)
        }
    }

    @Test func oneTimeParticipantsHaveLinksOfTheirOwn() throws {
        let seed = ParticipantSeed()
        var list = ParticipantList([ParticipantList(owner: Self.owner, seq: 1).participants[0]], seed: seed)
        let sent = WireParticipant(permission: .readWrite, usesOneTimeLink: true)
        try list.replace(with: [sent, sent], limit: 2, seq: 2)
        #expect(list.participants.dropFirst().map(\.link) == [seed.link(of: 1), seed.link(of: 2)])
        #expect(Set(list.participants.dropFirst().compactMap(\.link)).count == 2)
        #expect(list.participants.dropFirst().allSatisfy { $0.link.map(ShareLink.isValid) == true })
        for sent in [
            WireParticipant(role: .administrator, usesOneTimeLink: true),
            WireParticipant(user: Self.user("b"), usesOneTimeLink: true),
            WireParticipant(email: "b@example.org", usesOneTimeLink: true),
        ] {
            let error = #expect(throws: ServerError.self) { try list.replace(with: [sent], limit: 9, seq: 3) }
            #expect(error?.reasonCode == "participant_invalid")
        }
    }

    @Test func aOneTimeParticipantIsNotMadeAnAdministrator() throws {
        let owner = ParticipantList(owner: Self.owner, seq: 1).participants[0]
        let oneTime = StoredParticipant(
            id: 1, user: nil, email: nil, role: .user, permission: .readOnly, status: .invited, link: "l")
        var list = ParticipantList([owner, oneTime], of: ShareID(5))
        let error = #expect(throws: ServerError.self) {
            try list.replace(with: [WireParticipant(id: "5.1", role: .administrator)], limit: 9, seq: 3)
        }
        #expect(error?.reasonCode == "participant_invalid")
        // With an identity, the invitation is that of a known user.
        try list.replace(
            with: [WireParticipant(id: "5.1", user: Self.user("b"), role: .administrator)], limit: 9, seq: 3)
        #expect(list.participants[1].role == .administrator)
    }

    @Test func formerAdministratorIsInvitedAgainAsAUser() throws {
        var list = try Self.list(Self.sent("b", role: .administrator))
        try list.replace(with: [], limit: 100, seq: 9)
        try list.replace(with: [Self.sent("b")], limit: 100, seq: 10)
        #expect(list.participants[1].role == .user && list.participants[1].status == .invited)
    }

    @Test(arguments: [
        WireParticipant(id: "5.1", user: UserName(unchecked: "_" + String(repeating: "c", count: 32))),
        WireParticipant(id: "5.3", email: "other@example.org"),
        WireParticipant(id: "5.1", email: "d@example.org"),
        WireParticipant(user: UserName(unchecked: "_" + String(repeating: "b", count: 32)), email: "d@example.org"),
    ])
    func contradictionIsRefused(sent: WireParticipant) throws {
        var list = ParticipantList(
            try Self.list(Self.sent("b"), Self.sent("c"), WireParticipant(email: "d@example.org"), accepted: false)
                .participants, of: ShareID(5))
        let error = #expect(throws: ServerError.self) { try list.replace(with: [sent], limit: 100, seq: 9) }
        #expect(error?.reasonCode == "participant_invalid")
    }

    @Test func addressIsValidatedBesideAUserAndAnID() throws {
        let list = ParticipantList(try Self.list(Self.sent("b")).participants, of: ShareID(5))
        for sent in [WireParticipant(user: Self.user("b"), email: "x"), WireParticipant(id: "5.1", email: "a\0@b")] {
            var list = list
            #expect(throws: ServerError.self) { try list.replace(with: [sent], limit: 100, seq: 9) }
        }
    }

    @Test func longListIsRefusedByItsLength() throws {
        // The first participant would be refused for another reason.
        let sent = [WireParticipant()] + (0..<10_000).map { WireParticipant(email: "\($0)@example.org") }
        var list = ParticipantList(owner: Self.owner, seq: 1)
        let error = #expect(throws: ServerError.self) { try list.replace(with: sent, limit: 100, seq: 1) }
        #expect(error?.ckErrorCode == 29)
        #expect(list.participants.count == 1)
    }

    @Test func ownerOccursOnce() throws {
        let owner = WireParticipant(user: UserName(unchecked: Self.owner))
        var list = ParticipantList(owner: Self.owner, seq: 1)
        try list.replace(with: [owner], limit: 100, seq: 1)
        #expect(throws: ServerError.self) { try list.replace(with: [owner, owner], limit: 100, seq: 1) }
    }

    @Test func invitationThatWasNeverAcceptedIsDeleted() throws {
        var list = try Self.list(Self.sent("b"), Self.sent("c"), accepted: false)
        try list.replace(with: [Self.sent("c", .readWrite)], limit: 100, seq: 9)
        #expect(list.dropped == [1])
        #expect(list.rows.map(\.id) == [2])
        #expect(!list.changesAccess)
        // Who had access is remembered.
        var accepted = try Self.list(Self.sent("b"))
        try accepted.replace(with: [], limit: 100, seq: 9)
        #expect(accepted.dropped.isEmpty)
        #expect(accepted.rows.map(\.status) == [.removed])
    }
}
