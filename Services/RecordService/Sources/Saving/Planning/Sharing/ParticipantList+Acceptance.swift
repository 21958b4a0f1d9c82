internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage

/// The acceptance of a share by one user (semantics 11.3).
extension ParticipantList {
    /// Makes the caller an accepted participant: through an invitation, through a one-time link or, if the public
    /// permission allows it, through the link of the share. Does nothing if the caller already has access.
    ///
    /// - Parameter seq: the number of the change.
    /// - Throws: `share_link_unknown`, `participant_not_verified`, `access_request_required`, `too_many_participants`.
    mutating func accept(
        _ acceptance: WireShare.Acceptance, publicPermission: SharePermission,
        requests: AccessRequests = AccessRequests(), seq: Int64
    ) throws(ServerError) {
        let user = acceptance.caller.user
        let standing = ShareStanding(
            of: acceptance.caller, among: participants, publicPermission: publicPermission, requests: requests,
            through: acceptance.entrance)
        // The row of a user who lost access is reused, because it records the change that ended the access.
        let former = participants.firstIndex { $0.user == user && !$0.status.isListed }
        switch standing {
        case .unverified, .mayRequest, .none: throw standing.denial ?? .shareLinkUnknown()
        case .participant(let participant):
            guard participant.status == .invited else { return }
            grant(participants.firstIndex { $0.id == participant.id }, seq: seq) { _ in }
        case .invited(let invitation):
            let place = participants.firstIndex { $0.id == invitation.id }
            if former != nil, let place { withdraw(place) }
            grant(former ?? place, seq: seq) { participant in
                participant.user = user
                participant.email = invitation.email
                participant.link = invitation.link
                participant.role = invitation.role
                participant.permission = invitation.permission
            }
        case .mayJoin:
            let limit = acceptance.maxPublicUsers
            guard publicUsers < limit else { throw .tooManyPublicUsers(limit: limit) }
            grant(former ?? add(user), seq: seq) { participant in
                participant.role = .publicUser
                participant.permission = publicPermission
            }
        }
    }
}

extension WireShare.Acceptance {
    /// The link through which the user accepts the share.
    var entrance: ShareEntrance { oneTime.map { .oneTime($0, link: link) } ?? .link }
}

extension WireShare {
    /// Whether the save accepts the share or requests access to it. Such a save has no change tag.
    var isOfVisitor: Bool { acceptance != nil || accessRequest != nil }
}
