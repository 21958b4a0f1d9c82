internal import CloudKitModel
internal import RecordStorage

/// The departure of a participant, who leaves by deleting the share in the shared database (semantics 11.3).
extension ParticipantList {
    /// Ends the access of `user`, as a removal by the owner does.
    ///
    /// - Parameter seq: the number of the change.
    mutating func leave(_ user: String, seq: Int64) {
        guard let place = participants.firstIndex(where: { $0.user == user && $0.status == .accepted }),
            participants[place].role != .owner
        else { return }
        end(place, as: .unsubscribed, seq: seq)
    }
}
