/// Whether a participant has accepted the invitation to a share. The raw value is stored.
package enum AcceptanceStatus: Int16, CaseIterable, Hashable, Sendable {
    /// The invitation has not been answered yet. CloudKit's clients call this status `pending`.
    case invited = 1
    /// The participant has access.
    case accepted = 2
    /// The owner removed the participant.
    case removed = 3
    /// The participant left the share.
    case unsubscribed = 4

    /// The name on the wire.
    package var wireName: String {
        switch self {
        case .invited: "INVITED"
        case .accepted: "ACCEPTED"
        case .removed: "REMOVED"
        case .unsubscribed: "UNSUBSCRIBED"
        }
    }

    /// Creates the status with this name on the wire; nil for an unknown name. CloudKit JS calls ``invited`` `PENDING`.
    package init?(wireName: String) {
        if wireName == "PENDING" {
            self = .invited
            return
        }
        guard let status = Self.allCases.first(where: { $0.wireName == wireName }) else { return nil }
        self = status
    }
}
