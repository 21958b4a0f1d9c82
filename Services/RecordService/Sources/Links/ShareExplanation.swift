internal import CloudKitModel
internal import OperatorMessages
internal import RecordStorage

/// Derives a user's right from what was read about a record, or determines why the user has none.
struct ShareExplanation: Sendable {
    /// What was read.
    struct Found: Sendable {
        /// Whether the owner has the zone.
        var hasZone: Bool
        /// The record, its parent, and so on, up to the first record that is a share or the root of one.
        private(set) var chain: [ShareExplanationTable.Link] = []
        /// Whether the chain leads back to one of its records.
        private(set) var isCircular = false
        /// Whether the chain was longer than the maximum.
        private(set) var isTruncated = false
        /// Whether a background job is about to delete the record.
        var isPendingDeletion = false
        /// The live shares that the records of the chain belong to, and the zone-wide share.
        var shares: [ShareExplanationTable.Share] = []

        /// Whether a background job moves records of the zone into or out of shares.
        let hasMoves: Bool

        init(hasZone: Bool, hasMoves: Bool = false) { (self.hasZone, self.hasMoves) = (hasZone, hasMoves) }

        /// Sets the chain, up to the first share. A record that occurs twice ends the chain.
        mutating func setChain(_ links: [ShareExplanationTable.Link], limit: Int) {
            var seen: Set<RecordName> = []
            for link in links {
                guard seen.insert(link.name).inserted else {
                    isCircular = true
                    return
                }
                chain.append(link)
                if link.share != nil { return }
            }
            isTruncated = chain.count == limit && chain.last?.parent != nil
        }
    }

    /// The reason why the user has no access. The raw value is the name of the reason in the answer.
    enum Missing: String, CaseIterable {
        case zone, record, share, membership, participant, acceptance, permission
        case recordDeleted = "record_deleted"
        case parentCircular = "parent_circular"
        case chainTooLong = "chain_too_long"
        case removed, left, blocked
    }

    private typealias Verdict = (right: String, missing: Missing?, explanation: String)

    private let request: SharesExplainRequest
    private let found: Found

    init(_ request: SharesExplainRequest, _ found: Found) {
        self.request = request
        self.found = found
    }

    /// The answer.
    var answer: SharesExplainRequest.Answer {
        let verdict = verdict
        return SharesExplainRequest.Answer(
            chain: found.chain.map(explained), share: share.map(explained),
            participant: share.flatMap { share in share.participant.map { explained($0, of: share) } },
            accessRequest: isBlocked ? "BLOCKED" : hasRequest ? "PENDING" : nil, right: verdict.right,
            missing: verdict.missing?.rawValue, explanation: verdict.explanation)
    }

    /// The share that determines the right: the zone-wide share, if there is one; otherwise, the share that lists the
    /// record as a member; otherwise, the share that the chain of parents leads to. While a job moves records, the share
    /// that lists the record might not be its own.
    private var share: ShareExplanationTable.Share? {
        if let whole = found.shares.first(where: { $0.root == nil }) { return whole }
        let isStored = !found.hasMoves || found.isTruncated
        let ids = [isStored ? found.chain.first?.member : nil, found.chain.last?.share]
        return ids.lazy.compactMap(\.self).compactMap { id in found.shares.first { $0.id == id } }.first
    }

    private var isBlocked: Bool { share?.requests.isBlocked(request.user) == true }

    private var hasRequest: Bool { share?.requests.isPending(request.user) == true }

    private var verdict: Verdict {
        guard found.hasZone else {
            return none(.zone, "The owner has no zone '\(request.zone)'.")
        }
        guard let record = found.chain.first, record.type != nil else {
            return none(.record, "The zone has no record '\(request.recordName)'.")
        }
        guard record.isLive, !found.isPendingDeletion else {
            return none(
                .recordDeleted, record.isLive ? "The record is about to be deleted." : "The record has been deleted.")
        }
        if request.user == request.owner {
            return (ParticipantRole.owner.wireName, nil, "The user owns the zone.")
        }
        guard let share else { return unshared }
        // The share of a whole zone contains every record, so the record does not need to be stored as a member.
        guard share.root == nil || record.member == share.id else {
            return none(
                .membership,
                "The parents of the record lead to the share '\(share.name)', but the record is not stored in it"
                    + (found.hasMoves ? " yet. A background job is moving it." : "."))
        }
        if isBlocked { return none(.blocked, "The user is blocked from the share '\(share.name)'.") }
        guard let participant = share.participant else {
            return none(.participant, strangerText(share))
        }
        return verdict(of: participant, in: share)
    }

    private var unshared: Verdict {
        if found.isCircular {
            return none(.parentCircular, "The parents of the record form a circle, so the record belongs to no share.")
        }
        if found.isTruncated {
            return none(.chainTooLong, "None of the \(found.chain.count) nearest records is shared.")
        }
        if let last = found.chain.last, !last.isLive {
            return none(.share, "The chain of parents ends at '\(last.name)', which does not exist.")
        }
        return none(.share, "Neither the record nor one of its parents is shared.")
    }

    private func verdict(of participant: StoredParticipant, in share: ShareExplanationTable.Share) -> Verdict {
        switch participant.status {
        case .invited: return none(.acceptance, "The user has been invited but has not accepted.")
        case .removed: return none(.removed, "The owner has removed the user." + requestText(share))
        case .unsubscribed: return none(.left, "The user has left the share." + requestText(share))
        case .accepted: break
        }
        let isPublic = participant.role == .publicUser
        let permission = isPublic ? share.publicPermission : participant.permission
        guard permission != .none else {
            return none(
                .permission,
                isPublic ? "The share is no longer public." : "The user's permission is NONE.")
        }
        return (
            permission.wireName, nil,
            isPublic ? "The user has joined through the link, with the public permission." : "The user has accepted."
        )
    }

    private func strangerText(_ share: ShareExplanationTable.Share) -> String {
        var text = "The user is not a participant of the share '\(share.name)'."
        if share.publicPermission != .none { text += " Everyone who has the link can join." }
        switch share.openInvitations {
        case 0: break
        case 1: text += " 1 invitation sent to an email address is pending."
        case let count: text += " \(count) invitations sent to email addresses are pending."
        }
        return text + requestText(share)
    }

    private func requestText(_ share: ShareExplanationTable.Share) -> String {
        if hasRequest { return " The user has requested access." }
        return share.requests.areAllowed ? " Users who have the link can request access." : ""
    }

    private func none(_ missing: Missing, _ explanation: String) -> Verdict {
        (SharePermission.none.wireName, missing, explanation)
    }

    private func explained(_ link: ShareExplanationTable.Link) -> ExplainedRecord {
        let isPending = found.isPendingDeletion && link.name == found.chain.first?.name
        let state =
            link.type == nil ? "missing" : !link.isLive ? "deleted" : isPending ? "pendingDeletion" : "live"
        return ExplainedRecord(
            recordName: link.name.rawValue, recordType: link.type, state: state, share: name(link.member),
            rootOf: link.isRoot ? name(link.share) : nil)
    }

    private func name(_ id: ShareID?) -> String? {
        id.flatMap { id in found.shares.first { $0.id == id }?.name.rawValue }
    }

    private func explained(_ share: ShareExplanationTable.Share) -> ExplainedShare {
        ExplainedShare(
            recordName: share.name.rawValue, rootRecordName: share.root?.rawValue,
            publicPermission: share.publicPermission.wireName, openInvitations: share.openInvitations)
    }

    private func explained(
        _ participant: StoredParticipant, of share: ShareExplanationTable.Share
    ) -> ExplainedParticipant {
        let permission = participant.role == .publicUser ? share.publicPermission : participant.permission
        return ExplainedParticipant(
            participantId: participant.wireID(in: share.id),
            type: participant.role.wireName, acceptanceStatus: participant.status.wireName,
            permission: permission.wireName)
    }
}
