internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage

/// A share while a save changes it: its participants, and the requests for access (semantics 11.2).
///
/// A save is applied several times: without a number when it is checked, and with the number of the change when it is
/// written. The seed makes the results equal.
struct ShareEditor {
    /// The limits of a share. A save that was checked is applied again without limits.
    struct Bounds {
        var participants = Int.max
        var requesters = Int.max
    }

    private(set) var participants: ParticipantList
    private(set) var requesters: RequesterList
    /// The permission of everyone who has the link.
    private(set) var publicPermission: SharePermission

    /// Creates the editor of an existing share.
    init(_ share: StoredShare, seed: ParticipantSeed) {
        participants = ParticipantList(of: share, seed: seed)
        requesters = RequesterList(share.requests)
        publicPermission = share.publicPermission
    }

    /// Creates the editor of a new share.
    init(owner: String, seq: Int64, seed: ParticipantSeed) {
        participants = ParticipantList(owner: owner, seq: seq, seed: seed)
        requesters = RequesterList(AccessRequests())
        publicPermission = .none
    }

    /// Whether nothing must be written except the record of the share.
    var isUnchanged: Bool {
        participants.rows.isEmpty && participants.dropped.isEmpty && requesters.rows.isEmpty
            && requesters.answered.isEmpty
    }

    /// Applies the keys of a share as the owner or an administrator sent them, an acceptance, a departure or a request
    /// for access.
    ///
    /// - Parameter seq: the number of the change.
    /// - Throws: any error that the methods of ``ParticipantList`` and ``RequesterList`` throw.
    mutating func apply(_ sent: WireShare, within bounds: Bounds = Bounds(), seq: Int64) throws(ServerError) {
        let requests = requesters.requests
        if let request = sent.accessRequest {
            return try requesters.add(
                request,
                ShareStanding(
                    of: request.caller, among: participants.participants, publicPermission: publicPermission,
                    requests: requests))
        }
        if let leaver = sent.leaver { return participants.leave(leaver, seq: seq) }
        if let acceptance = sent.acceptance {
            try participants.accept(acceptance, publicPermission: publicPermission, requests: requests, seq: seq)
        } else {
            let before = participants.participants
            let new = sent.publicPermission ?? publicPermission
            if let list = sent.participants {
                if let administrator = sent.administrator {
                    try participants.checkIdentities(list, by: administrator)
                }
                try participants.replace(with: list, limit: bounds.participants, seq: seq)
            }
            try requesters.apply(sent, owner: before.first?.user, limit: bounds.requesters)
            participants.remove(Set(sent.blocked.map(\.rawValue)), seq: seq)
            participants.publicPermissionChanged(from: publicPermission, to: new, seq: seq)
            publicPermission = new
            if let administrator = sent.administrator { try participants.check(administrator, from: before) }
        }
        requesters.remove(participants.participants)
    }
}
