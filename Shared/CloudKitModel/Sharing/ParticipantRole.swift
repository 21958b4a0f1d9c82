/// The role of a participant in a share: the `type` of a participant on the wire. The raw value is stored.
package enum ParticipantRole: Int16, CaseIterable, Hashable, Sendable {
    /// The user whose zone contains the share.
    case owner = 1
    /// An invited user who may invite others.
    case administrator = 2
    /// An invited user. CloudKit's clients call this role `privateUser`.
    case user = 3
    /// A user who joined through the link and has the public permission.
    case publicUser = 4

    /// The name on the wire.
    package var wireName: String {
        switch self {
        case .owner: "OWNER"
        case .administrator: "ADMINISTRATOR"
        case .user: "USER"
        case .publicUser: "PUBLIC_USER"
        }
    }

    /// Creates the role with this name on the wire; nil for an unknown name. CloudKit JS calls ``user`` `PRIVATE_USER`.
    package init?(wireName: String) {
        if wireName == "PRIVATE_USER" {
            self = .user
            return
        }
        guard let role = Self.allCases.first(where: { $0.wireName == wireName }) else { return nil }
        self = role
    }
}
