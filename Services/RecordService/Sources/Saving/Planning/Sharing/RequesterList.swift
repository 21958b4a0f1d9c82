internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage

/// The users who request access to a share or are blocked from it, and the rules by which a save changes them.
struct RequesterList {
    /// The requests after the changes.
    private(set) var requests: AccessRequests
    /// The users whose rows must be written.
    private var changed: Set<String> = []
    /// The users whose rows are deleted.
    private(set) var answered: Set<String> = []

    /// Creates the list of a share.
    init(_ requests: AccessRequests) { self.requests = requests }

    /// The rows that must be written.
    var rows: [AccessRequests.Requester] { requests.requesters.filter { changed.contains($0.user) } }

    /// Adds the request of a user who has the link.
    ///
    /// - Parameter standing: the user's relationship to the share.
    /// - Throws: `share_link_unknown`, also if the user is blocked; `participant_already_invited`;
    ///   `participant_not_verified` if access cannot be requested; or `too_many_requesters`.
    mutating func add(_ request: WireShare.AccessRequest, _ standing: ShareStanding) throws(ServerError) {
        switch standing {
        case .invited: throw .participantAlreadyInvited()
        case .participant(let participant):
            if participant.status == .invited { throw .participantAlreadyInvited() }
            return
        case .mayJoin, .mayRequest(isPending: true), .unverified(isPending: true): return
        case .unverified(isPending: nil), .none: throw standing.denial ?? .shareLinkUnknown()
        case .mayRequest(isPending: false), .unverified(isPending: false): break
        }
        guard requests.pendingCount < request.maxRequesters else {
            throw .tooManyRequesters(limit: request.maxRequesters)
        }
        put(AccessRequests.Requester(user: request.caller.user, email: request.caller.email, isBlocked: false))
    }

    /// Applies the answers that a save of the share contains. Denied and unblocked users can request access again.
    ///
    /// - Parameter limit: the maximum number of blocked users, and of users that each key can name. If there are more
    ///   blocked users because the limit was higher before, only further ones are refused.
    /// - Throws: `too_many_requesters`.
    mutating func apply(_ sent: WireShare, owner: String?, limit: Int) throws(ServerError) {
        if let areAllowed = sent.allowsAccessRequests { requests.areAllowed = areAllowed }
        for (key, users) in [
            ("denyRequesters", sent.denied), ("blockRequesters", sent.blocked), ("unblockIdentities", sent.unblocked),
        ] where users.count > limit {
            throw .tooManyRequesters(key, limit: limit)
        }
        for user in sent.denied where requests.isPending(user.rawValue) { remove(user.rawValue) }
        for user in sent.unblocked where requests.isBlocked(user.rawValue) { remove(user.rawValue) }
        let before = requests.requesters.count(where: \.isBlocked)
        for user in sent.blocked where user.rawValue != owner && !requests.isBlocked(user.rawValue) {
            let email = requests.requesters.first { $0.user == user.rawValue }?.email
            put(AccessRequests.Requester(user: user.rawValue, email: email, isBlocked: true))
        }
        let count = requests.requesters.count(where: \.isBlocked)
        guard count <= max(before, limit) else {
            throw .tooManyRequesters("blockRequesters", limit: limit)
        }
    }

    /// Removes the users who are now invited or have accepted. Inviting a user approves the user's request, and ends
    /// a block.
    mutating func remove(_ participants: [StoredParticipant]) {
        let users = Set(participants.lazy.filter(\.status.isListed).compactMap(\.user))
        for requester in requests.requesters where users.contains(requester.user) { remove(requester.user) }
    }

    private mutating func put(_ requester: AccessRequests.Requester) {
        requests.requesters.removeAll { $0.user == requester.user }
        requests.requesters.append(requester)
        requests.requesters.sort { $0.user < $1.user }
        changed.insert(requester.user)
        answered.remove(requester.user)
    }

    private mutating func remove(_ user: String) {
        requests.requesters.removeAll { $0.user == user }
        changed.remove(user)
        answered.insert(user)
    }
}
