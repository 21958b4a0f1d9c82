internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage

/// The changes to participants that an administrator may make.
extension ParticipantList {
    /// Checks that the changes since `before` are permitted to an administrator, who may invite and remove users and
    /// change permissions. The owner's row and the rows of administrators are the owner's to change. An administrator
    /// cannot give anybody a permission that the administrator does not have.
    ///
    /// - Throws: `access_denied`.
    func check(_ administrator: String, from before: [StoredParticipant]) throws(ServerError) {
        let limit = before.first { $0.user == administrator }?.permission ?? .none
        let rows = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0) })
        for participant in participants where changed.contains(participant.id) {
            let old = rows[participant.id].flatMap { $0.status.isListed ? $0 : nil }
            let isManaged = [old?.role, participant.status.isListed ? participant.role : nil].contains { role in
                role == .owner || role == .administrator
            }
            let isGranted =
                participant.status.isListed && participant.permission > limit
                && participant.permission != old?.permission
            if isManaged || isGranted { throw .notPermittedByShare() }
        }
    }

    /// Checks that an administrator gives no identity to an existing participant: a `participantId` may be accompanied
    /// only by what the administrator sees of the participant. Otherwise, an administrator could give a second account
    /// the invitation and the permission of another user, or could guess email addresses.
    ///
    /// - Parameter sent: the list that the administrator sent.
    /// - Throws: `access_denied`.
    func checkIdentities(_ sent: [WireParticipant], by administrator: String) throws(ServerError) {
        guard let share else { return }
        let rows = Dictionary(participants.map { ($0.wireID(in: share), $0) }) { first, _ in first }
        for participant in sent {
            guard let id = participant.id else {
                // A user might be a participant already, whose address this would be compared with.
                if participant.user != nil, participant.email != nil { throw .notPermittedByShare() }
                continue
            }
            guard let row = rows[id] else { continue }
            let isSameUser = participant.user.map { $0.rawValue == row.user } ?? true
            let isSameEmail =
                participant.email.map { row.user == administrator && $0.lowercased() == row.email } ?? true
            guard isSameUser, isSameEmail else { throw .notPermittedByShare() }
        }
    }
}
