import CloudKitModel
import CloudKitWire
import RecordStorage
import Testing

@testable import RecordService

/// What administrators may change, and requests for access to a share.
struct ShareEditorTests {
    private static func participant(
        _ id: Int32, _ user: String, _ role: ParticipantRole = .user, _ permission: SharePermission = .readWrite,
        _ status: AcceptanceStatus = .accepted
    ) -> StoredParticipant {
        StoredParticipant(id: id, user: user, email: nil, role: role, permission: permission, status: status, since: 2)
    }

    private static func name(_ digit: Character) -> UserName {
        UserName(unchecked: "_" + String(repeating: digit, count: 32))
    }

    private static func share(
        _ participants: StoredParticipant..., publicly: SharePermission = .none, requests: AccessRequests = .init()
    ) -> StoredShare {
        StoredShare(
            id: ShareID(5), name: RecordName(unchecked: "S"), root: nil, publicPermission: publicly, link: "link",
            participants: [participant(0, "o", .owner)] + participants, requests: requests)
    }

    private func apply(
        _ share: StoredShare, limit: Int = 10, _ change: (inout WireShare) -> Void
    ) throws(ServerError) -> ShareEditor {
        var sent = WireShare()
        change(&sent)
        var editor = ShareEditor(share, seed: ParticipantSeed())
        try editor.apply(sent, within: .init(participants: limit, requesters: limit), seq: 9)
        return editor
    }

    // MARK: Administrators

    private static func administered(_ permission: SharePermission = .readWrite) -> StoredShare {
        share(
            participant(1, "a", .administrator, permission), participant(2, "u", .user, .readOnly),
            participant(3, "b", .administrator), participant(4, "r", .administrator, .readWrite, .removed))
    }

    private static let kept = ["5.0", "5.1", "5.2", "5.3"].map { WireParticipant(id: $0) }

    private func administer(_ list: [WireParticipant], _ permission: SharePermission = .readWrite) throws -> ShareEditor
    {
        try apply(Self.administered(permission)) { sent in
            sent.administrator = "a"
            sent.participants = list
        }
    }

    @Test func anAdministratorInvitesRemovesAndChangesPermissions() throws {
        let list = try administer(Self.kept + [WireParticipant(email: "x@example.org", permission: .readWrite)])
        #expect(list.participants.rows.map(\.role) == [.user])
        let changed = try administer(
            Self.kept.map { $0.id == "5.2" ? WireParticipant(id: "5.2", permission: .readWrite) : $0 })
        #expect(changed.participants.participants[2].permission == .readWrite)
        let removed = try administer(Self.kept.filter { $0.id != "5.2" })
        #expect(removed.participants.participants[2].status == .removed)
        // A former administrator can be invited, as a user.
        let again = try administer(Self.kept + [WireParticipant(id: "5.4")])
        #expect(again.participants.participants[4].role == .user)
    }

    @Test(arguments: [
        // Another administrator and the administrator itself.
        kept.filter { $0.id != "5.3" }, kept.filter { $0.id != "5.1" },
        kept.map { $0.id == "5.3" ? WireParticipant(id: "5.3", permission: .readOnly) : $0 },
        kept.map { $0.id == "5.1" ? WireParticipant(id: "5.1", permission: .readOnly) : $0 },
        kept.map { $0.id == "5.3" ? WireParticipant(id: "5.3", role: .user) : $0 },
        // New administrators.
        kept.map { $0.id == "5.2" ? WireParticipant(id: "5.2", role: .administrator) : $0 },
        kept + [WireParticipant(email: "x@example.org", role: .administrator)],
        kept + [WireParticipant(id: "5.4", role: .administrator)],
    ])
    func administratorsAreTheOwnersToChange(list: [WireParticipant]) {
        let error = #expect(throws: ServerError.self) { _ = try administer(list) }
        #expect(error?.reasonCode == "access_denied")
    }

    @Test func anAdministratorGrantsAtMostTheOwnPermission() throws {
        for sent in [
            Self.kept.map { $0.id == "5.2" ? WireParticipant(id: "5.2", permission: .readWrite) : $0 },
            Self.kept + [WireParticipant(permission: .readWrite, usesOneTimeLink: true)],
        ] {
            let error = #expect(throws: ServerError.self) { _ = try administer(sent, .readOnly) }
            #expect(error?.reasonCode == "access_denied")
        }
        _ = try administer(Self.kept + [WireParticipant(permission: .readOnly, usesOneTimeLink: true)], .readOnly)
    }

    @Test func anAdministratorGivesNobodyAnIdentity() throws {
        var administrator = Self.participant(1, "a", .administrator, .readOnly)
        administrator.email = "a@example.org"
        let invitation = StoredParticipant(
            id: 2, user: nil, email: "x@example.org", role: .user, permission: .readWrite, status: .invited)
        let oneTime = StoredParticipant(
            id: 3, user: nil, email: nil, role: .user, permission: .readWrite, status: .invited, link: "l")
        let share = Self.share(administrator, invitation, oneTime)
        func save(_ sent: WireParticipant) throws -> ShareEditor {
            try apply(share) { wire in
                wire.administrator = "a"
                wire.participants = Self.kept.map { $0.id == sent.id ? sent : $0 } + (sent.id == nil ? [sent] : [])
            }
        }
        let refused = [
            WireParticipant(id: "5.2", user: Self.name("9")), WireParticipant(id: "5.3", user: Self.name("9")),
            WireParticipant(id: "5.3", email: "y@example.org"),
            // The answer does not tell whether an address was guessed.
            WireParticipant(id: "5.2", email: "x@example.org"), WireParticipant(id: "5.2", email: "y@example.org"),
            WireParticipant(id: "5.1", email: "x@example.org"), WireParticipant(id: "5.1", email: "y@example.org"),
            WireParticipant(user: Self.name("9"), email: "x@example.org"),
        ]
        for sent in refused {
            let error = #expect(throws: ServerError.self) { _ = try save(sent) }
            #expect(error?.reasonCode == "access_denied", "\(sent)")
        }
        // What the administrator sees may be sent.
        #expect(try save(WireParticipant(id: "5.1", email: "A@example.org")).isUnchanged)
        #expect(try save(WireParticipant(id: "5.2")).isUnchanged)
    }

    // MARK: Requests for access

    private static func requests(_ pending: String..., blocked: [String] = [], allowed: Bool = true) -> AccessRequests {
        AccessRequests(
            areAllowed: allowed,
            requesters: (pending.map { .init(user: $0, email: nil, isBlocked: false) }
                + blocked.map { .init(user: $0, email: nil, isBlocked: true) }).sorted { $0.user < $1.user })
    }

    private func ask(
        _ share: StoredShare, by user: String, email: String? = nil, limit: Int = 10
    ) throws(ServerError) -> ShareEditor {
        try apply(share) { sent in
            sent.accessRequest = WireShare.AccessRequest(
                link: "link", caller: ShareCaller(user: user, email: email), maxRequesters: limit)
        }
    }

    @Test func aStrangerAsksOnce() throws {
        let editor = try ask(Self.share(requests: Self.requests()), by: "x", email: "x@example.org")
        #expect(editor.requesters.rows == [.init(user: "x", email: "x@example.org", isBlocked: false)])
        #expect(editor.participants.rows.isEmpty)
        #expect(try ask(Self.share(requests: Self.requests("x")), by: "x").isUnchanged)
    }

    @Test func whoHasAccessDoesNotNeedToAsk() throws {
        let share = Self.share(Self.participant(1, "u"), requests: Self.requests())
        #expect(try ask(share, by: "o").isUnchanged)
        #expect(try ask(share, by: "u").isUnchanged)
        #expect(try ask(Self.share(publicly: .readOnly, requests: Self.requests()), by: "x").isUnchanged)
    }

    @Test func theInvitedAcceptsInstead() {
        var invitation = StoredParticipant(
            id: 2, user: nil, email: "x@example.org", role: .user, permission: .readOnly, status: .invited)
        invitation.uuid = nil
        let share = Self.share(
            Self.participant(1, "u", .user, .readOnly, .invited), invitation, requests: Self.requests())
        for (user, email) in [("u", nil), ("x", "x@example.org")] as [(String, String?)] {
            let error = #expect(throws: ServerError.self) { _ = try ask(share, by: user, email: email) }
            #expect(error?.ckErrorCode == 37)
        }
    }

    @Test func whoMayNotAskLearnsNothing() {
        let shares = [
            Self.share(requests: Self.requests(allowed: false)),
            Self.share(requests: Self.requests(blocked: ["x"])),
            Self.share(publicly: .readOnly, requests: Self.requests(blocked: ["x"])),
            Self.share(Self.participant(1, "x", .user, .none), requests: Self.requests()),
        ]
        for share in shares {
            let error = #expect(throws: ServerError.self) { _ = try ask(share, by: "x") }
            #expect(error?.reasonCode == "share_link_unknown")
        }
    }

    @Test func pendingRequestsAreLimited() throws {
        let share = Self.share(requests: Self.requests("a", "b", blocked: ["c"]))
        #expect(try !ask(share, by: "x", limit: 3).isUnchanged)
        let error = #expect(throws: ServerError.self) { _ = try ask(share, by: "x", limit: 2) }
        #expect(error?.reasonCode == "too_many_requesters")
    }

    @Test func aLowerLimitConcernsOnlyFurtherBlocks() throws {
        let share = Self.share(requests: Self.requests(blocked: [Self.name("4").rawValue, Self.name("5").rawValue]))
        #expect(try apply(share, limit: 1) { $0.blocked = [Self.name("4")] }.isUnchanged)
        #expect(try apply(share, limit: 0) { $0.publicPermission = .readOnly }.publicPermission == .readOnly)
        let error = #expect(throws: ServerError.self) {
            _ = try apply(share, limit: 1) { $0.blocked = [Self.name("6")] }
        }
        #expect(error?.reasonCode == "too_many_requesters")
    }

    @Test(arguments: [ShareEntrance.link, .oneTime(2, link: "l")])
    func aBlockedUserIsBlockedThroughEachLink(entrance: ShareEntrance) {
        let invitation = StoredParticipant(
            id: 1, user: nil, email: "x@example.org", role: .user, permission: .readOnly, status: .invited)
        let oneTime = StoredParticipant(
            id: 2, user: nil, email: nil, role: .user, permission: .readOnly, status: .invited, link: "l")
        let standings = ["x", "y"].map { user in
            ShareStanding(
                of: ShareCaller(user: user, email: "x@example.org"),
                among: [Self.participant(0, "o", .owner), invitation, oneTime], publicPermission: .none,
                requests: Self.requests(blocked: ["x"]), through: entrance)
        }
        #expect(standings == [.none, .invited(invitation)])
    }

    @Test func theOwnerAnswersRequests() throws {
        let share = Self.share(
            Self.participant(1, String(Self.name("1").rawValue)),
            requests: Self.requests(
                Self.name("2").rawValue, Self.name("3").rawValue, blocked: [Self.name("4").rawValue]))
        let approved = try apply(share) { sent in
            sent.participants = [WireParticipant(id: "5.1"), WireParticipant(user: Self.name("2"))]
        }
        #expect(approved.requesters.answered == [Self.name("2").rawValue])
        #expect(approved.participants.rows.map(\.status) == [.invited])
        let denied = try apply(share) { $0.denied = [Self.name("3"), Self.name("9")] }
        #expect(denied.requesters.answered == [Self.name("3").rawValue] && denied.requesters.rows.isEmpty)
        let unblocked = try apply(share) { $0.unblocked = [Self.name("4")] }
        #expect(unblocked.requesters.answered == [Self.name("4").rawValue])
        let blocked = try apply(share) { $0.blocked = [Self.name("1"), Self.name("2"), Self.name("8")] }
        #expect(blocked.requesters.rows.map(\.user) == ["1", "2", "8"].map { Self.name($0).rawValue })
        #expect(blocked.participants.participants[1].status == .removed)
        let error = #expect(throws: ServerError.self) {
            _ = try apply(share, limit: 2) { $0.blocked = [Self.name("1"), Self.name("2")] }
        }
        #expect(error?.reasonCode == "too_many_requesters")
    }

    @Test func invitingABlockedUserEndsTheBlock() throws {
        let share = Self.share(requests: Self.requests(blocked: [Self.name("4").rawValue]))
        let editor = try apply(share) { $0.participants = [WireParticipant(user: Self.name("4"))] }
        #expect(editor.requesters.answered == [Self.name("4").rawValue])
        #expect(editor.participants.rows.map(\.status) == [.invited])
    }
}
