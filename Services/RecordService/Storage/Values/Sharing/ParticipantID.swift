/// The id of a participant on the wire: the number of the share and the participant's number within it.
package struct ParticipantID: Hashable, Sendable {
    /// The share.
    package let share: ShareID
    /// The number within the share: ``StoredParticipant/id``.
    package let number: Int32

    /// Creates an id.
    package init(share: ShareID, number: Int32) {
        self.share = share
        self.number = number
    }

    /// Parses an id; nil if the string does not have the form of ``text``.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let share = Int64(parts[0]), let number = Int32(parts[1]) else { return nil }
        self.init(share: ShareID(share), number: number)
        guard text == self.text else { return nil }
    }

    /// The id as text.
    package var text: String { "\(share.rawValue).\(number)" }
}
