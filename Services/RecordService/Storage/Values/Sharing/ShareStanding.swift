package import CloudKitModel

/// The link through which a user opens a share.
package enum ShareEntrance: Sendable, Hashable {
    /// The link of the share.
    case link
    /// The one-time link of the participant with this number.
    case oneTime(Int32, link: String)

    /// The number of the participant whose one-time link it is; nil for the link of the share.
    package var oneTime: Int32? {
        if case .oneTime(let number, _) = self { number } else { nil }
    }
}

/// The relationship between a live share and a user who has its link.
package enum ShareStanding: Sendable, Hashable {
    /// The user is a participant: the owner, or a user who was invited or has accepted.
    case participant(StoredParticipant)
    /// An invitation names the user's verified email address, or the user has a one-time link.
    case invited(StoredParticipant)
    /// The user can join through the link.
    case mayJoin
    /// Invitations by email are pending, but none names the user's verified address. `isPending` is nil if access
    /// cannot be requested; otherwise, whether the user has already requested it.
    case unverified(isPending: Bool?)
    /// The user has no access, but may request it or has already done so.
    case mayRequest(isPending: Bool)
    /// The user has no access.
    case none

    /// Determines the standing of `caller`.
    ///
    /// - Parameters:
    ///   - participants: the participants in the share. Participants who lost access are ignored.
    ///   - entrance: the link that the user has.
    package init(
        of caller: ShareCaller, among participants: [StoredParticipant], publicPermission: SharePermission,
        requests: AccessRequests = AccessRequests(), through entrance: ShareEntrance = .link
    ) {
        let listed = participants.filter { $0.status.isListed }
        let open = listed.filter { $0.user == nil && $0.email != nil && $0.permission != .none }
        let own = listed.first { $0.user == caller.user }
        let invitation = caller.email.flatMap { email in open.first { $0.email == email } }
        if case .oneTime(let number, let link) = entrance {
            let holder = listed.first { $0.id == number }
            guard let holder, holder.permission != .none, holder.isClaimable(link) || holder.isClaimed(by: caller)
            else {
                self = .none
                return
            }
            if let own {
                self = own.permission == .none ? .none : .participant(own)
            } else {
                self = requests.isBlocked(caller.user) ? .none : .invited(invitation ?? holder)
            }
        } else if let own {
            self = own.permission == .none ? .none : .participant(own)
        } else if requests.isBlocked(caller.user) {
            self = .none
        } else if let invitation {
            self = .invited(invitation)
        } else if publicPermission != .none {
            self = .mayJoin
        } else {
            let isPending = requests.areAllowed ? requests.isPending(caller.user) : nil
            if !open.isEmpty {
                self = .unverified(isPending: isPending)
            } else {
                self = isPending.map { .mayRequest(isPending: $0) } ?? .none
            }
        }
    }

    /// The participant that represents the user now or, for an invitation, after acceptance; nil if there is none yet.
    package var participant: StoredParticipant? {
        switch self {
        case .participant(let participant), .invited(let participant): participant
        case .mayJoin, .unverified, .mayRequest, .none: nil
        }
    }

    /// Whether the user has access to the shared records.
    package var hasAccess: Bool {
        if case .participant(let participant) = self { participant.status == .accepted } else { false }
    }

    /// The error for a user who can neither see nor accept the share; nil for any other user.
    package var denial: ServerError? {
        switch self {
        case .participant, .invited, .mayJoin: nil
        case .unverified(isPending: nil): .participantNotVerified()
        case .unverified(isPending: false): .participantMayRequest()
        case .mayRequest(isPending: false): .accessRequestRequired()
        case .unverified(isPending: true), .mayRequest(isPending: true): .accessRequestPending()
        case .none: .shareLinkUnknown()
        }
    }
}

extension StoredParticipant {
    /// Whether the participant is the first user who accepts the one-time link `link`.
    fileprivate func isClaimable(_ link: String) -> Bool { usesOneTimeLink && self.link == link }

    /// Whether `caller` became the participant through a one-time link.
    fileprivate func isClaimed(by caller: ShareCaller) -> Bool { user == caller.user && status == .accepted }
}
