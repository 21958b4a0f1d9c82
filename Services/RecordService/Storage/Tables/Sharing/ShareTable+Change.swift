extension ShareTable {
    /// A share to write.
    package struct Change: Sendable {
        /// The zone.
        package let zone: ZoneRow
        /// The share after the change.
        package let share: StoredShare
        /// The participants whose rows are written.
        package let participants: [StoredParticipant]
        /// The numbers of the participants whose rows are deleted.
        package let dropped: Set<Int32>
        /// The requesters whose rows are written.
        package let requesters: [AccessRequests.Requester]
        /// The users whose rows among the requesters are deleted.
        package let answered: Set<String>
        /// Whether a participant gains or loses access or is given a different permission.
        package let changesAccess: Bool

        /// Creates a change.
        package init(
            zone: ZoneRow, share: StoredShare, participants: [StoredParticipant], dropped: Set<Int32> = [],
            requesters: [AccessRequests.Requester] = [], answered: Set<String> = [], changesAccess: Bool
        ) {
            self.zone = zone
            self.share = share
            self.participants = participants
            self.dropped = dropped
            self.requesters = requesters
            self.answered = answered
            self.changesAccess = changesAccess
        }
    }
}
