package import CloudKitModel

/// The relationship between a live share and a user who has its link.
package enum ShareStanding: Sendable, Hashable {
    /// The user is a participant: the owner, or a user who was invited or has accepted.
    case participant(StoredParticipant)
    /// An invitation names the user's verified email address.
    case invited(StoredParticipant)
    /// The user can join through the link.
    case mayJoin
    /// Invitations by email are pending, but none names the user's verified address.
    case unverified
    /// The user has no access.
    case none

    /// Determines the standing of `caller`.
    ///
    /// - Parameter participants: the participants in the share. Participants who lost access are ignored.
    package init(
        of caller: ShareCaller, among participants: [StoredParticipant], publicPermission: SharePermission
    ) {
        let listed = participants.filter { $0.status.isListed }
        let open = listed.filter { $0.user == nil && $0.email != nil && $0.permission != .none }
        if let participant = listed.first(where: { $0.user == caller.user }) {
            self = participant.permission == .none ? .none : .participant(participant)
        } else if let email = caller.email, let invitation = open.first(where: { $0.email == email }) {
            self = .invited(invitation)
        } else if publicPermission != .none {
            self = .mayJoin
        } else {
            self = open.isEmpty ? .none : .unverified
        }
    }

    /// The participant that represents the user now or, for an invitation by email, after acceptance; nil if there is
    /// none yet.
    package var participant: StoredParticipant? {
        switch self {
        case .participant(let participant), .invited(let participant): participant
        case .mayJoin, .unverified, .none: nil
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
        case .unverified: .participantNotVerified()
        case .none: .shareLinkUnknown()
        }
    }
}
