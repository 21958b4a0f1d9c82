internal import CloudKitModel
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
}
