import CloudKitModel
import CloudKitWire
import RecordStorage
import Testing

@testable import RecordService

/// Acceptances of a share (semantics 11.3).
struct AcceptanceTests {
    private static func participant(
        _ id: Int32, user: String? = nil, email: String? = nil, role: ParticipantRole = .user,
        permission: SharePermission = .readWrite, status: AcceptanceStatus = .invited, since: Int64? = nil
    ) -> StoredParticipant {
        StoredParticipant(
            id: id, user: user, email: email, role: role, permission: permission, status: status, since: since)
    }

    private static let owner = participant(0, user: "o", role: .owner, status: .accepted, since: 1)

    private func accept(
        _ participants: StoredParticipant..., by user: String, email: String? = nil,
        publicly permission: SharePermission = .none, maxPublicUsers: Int = 10
    ) throws(ServerError) -> ParticipantList {
        var list = ParticipantList([Self.owner] + participants)
        try list.accept(
            WireShare.Acceptance(
                link: "", caller: ShareCaller(user: user, email: email), maxPublicUsers: maxPublicUsers),
            publicPermission: permission, seq: 9)
        return list
    }

    @Test func invitedUserGainsAccessByThisChange() throws {
        let list = try accept(Self.participant(1, user: "u", permission: .readOnly), by: "u")
        #expect(
            list.rows == [Self.participant(1, user: "u", permission: .readOnly, status: .accepted, since: 9)])
        #expect(list.changesAccess)
    }

    @Test func whoHasAccessChangesNothing() throws {
        #expect(try accept(by: "o").rows.isEmpty)
        let list = try accept(Self.participant(1, user: "u", status: .accepted, since: 3), by: "u")
        #expect(list.rows.isEmpty && !list.changesAccess)
    }

    @Test(arguments: [
        (StoredParticipant?.none, 11), (Self.participant(1, user: "v"), 11),
        (Self.participant(1, user: "u", status: .removed, since: 2), 11),
        (Self.participant(1, user: "u", status: .unsubscribed, since: 2), 11),
        (Self.participant(1, user: "u", permission: .none), 11), (Self.participant(1, email: "v@x"), 33),
        (Self.participant(1, email: "v@x", status: .removed), 11),
    ])
    func othersAreRefused(participant: StoredParticipant?, code: Int) {
        let error = #expect(throws: ServerError.self) {
            if let participant { _ = try accept(participant, by: "u", email: "u@x") } else { _ = try accept(by: "u") }
        }
        #expect(error?.ckErrorCode == code)
    }

    @Test func addressMatchesAnInvitation() throws {
        let list = try accept(Self.participant(1, email: "u@x"), by: "u", email: "u@x")
        #expect(list.rows == [Self.participant(1, user: "u", email: "u@x", status: .accepted, since: 9)])
    }

    @Test func invitationIsMergedWithTheFormerParticipant() throws {
        let list = try accept(
            Self.participant(1, user: "u", status: .removed, since: 2),
            Self.participant(2, email: "u@x", permission: .readOnly), by: "u", email: "u@x")
        #expect(list.rows.map(\.id) == [1])
        #expect(list.rows.first?.status == .accepted)
        #expect(list.rows.first?.permission == .readOnly)
        #expect(list.dropped == [2])
    }

    private func claim(
        _ participants: StoredParticipant..., link: String = "l", by user: String, email: String? = nil,
        requests: AccessRequests = AccessRequests()
    ) throws(ServerError) -> ParticipantList {
        var list = ParticipantList([Self.owner] + participants)
        try list.accept(
            WireShare.Acceptance(
                link: link, oneTime: 1, caller: ShareCaller(user: user, email: email), maxPublicUsers: 10),
            publicPermission: .none, requests: requests, seq: 9)
        return list
    }

    private static func oneTime(_ permission: SharePermission = .readWrite) -> StoredParticipant {
        var participant = participant(1, permission: permission)
        participant.link = "l"
        return participant
    }

    @Test func firstUserOfAOneTimeLinkIsTheParticipant() throws {
        let list = try claim(Self.oneTime(), by: "u", email: "u@x")
        #expect(list.rows.map(\.user) == ["u"] && list.rows.map(\.status) == [.accepted])
        #expect(list.rows.first?.since == 9 && list.rows.first?.usesOneTimeLink == false)
        #expect(try claim(list.participants[1], by: "u").rows.isEmpty)
        let error = #expect(throws: ServerError.self) { _ = try claim(list.participants[1], by: "v") }
        #expect(error?.reasonCode == "share_link_unknown")
    }

    @Test func aOneTimeLinkOpensNothingElse() {
        let blocked = AccessRequests(requesters: [.init(user: "u", email: nil, isBlocked: true)])
        let attempts: [() throws -> ParticipantList] = [
            { try self.claim(Self.oneTime(), link: "other", by: "u") },
            { try self.claim(Self.oneTime(.none), by: "u") },
            { try self.claim(Self.oneTime(), by: "u", requests: blocked) },
            // The number now belongs to another participant.
            { try self.claim(Self.participant(1, user: "v"), by: "u") },
            { try self.claim(Self.participant(1, user: "u"), by: "u") },
            { try self.claim(Self.participant(1, email: "u@x"), by: "u", email: "u@x") },
        ]
        for attempt in attempts {
            let error = #expect(throws: ServerError.self) { _ = try attempt() }
            #expect(error?.reasonCode == "share_link_unknown")
        }
    }

    @Test func whoIsAParticipantDoesNotUseUpTheLink() throws {
        #expect(try claim(Self.oneTime(), by: "o").rows.isEmpty)
        let list = try claim(Self.oneTime(), Self.participant(2, user: "u", permission: .readOnly), by: "u")
        #expect(list.rows.map(\.id) == [2] && list.participants[1].usesOneTimeLink)
    }

    @Test func formerParticipantTakesTheLinkAlong() throws {
        let list = try claim(
            Self.oneTime(.readOnly), Self.participant(2, user: "u", status: .removed, since: 2), by: "u")
        #expect(list.rows.map(\.id) == [2] && list.dropped == [1])
        #expect(list.rows.first?.link == "l" && list.rows.first?.permission == .readOnly)
    }

    @Test func numberOfPublicUsersIsLimited() throws {
        let joined = try accept(by: "u", publicly: .readOnly, maxPublicUsers: 1)
        #expect(joined.rows.map(\.role) == [.publicUser])
        #expect(joined.rows.map(\.permission) == [.readOnly])
        let error = #expect(throws: ServerError.self) {
            try accept(
                Self.participant(1, user: "v", role: .publicUser, status: .accepted, since: 2), by: "u",
                publicly: .readOnly, maxPublicUsers: 1)
        }
        #expect(error?.ckErrorCode == 29)
    }
}
