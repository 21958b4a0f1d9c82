/// The permission of a participant, or of everyone who has the link to a share. The raw value is stored.
package enum SharePermission: Int16, CaseIterable, Hashable, Comparable, Sendable {
    /// No access.
    case none = 1
    /// The records may be read.
    case readOnly = 2
    /// The records may be read, changed and deleted, and new records may be created below them.
    case readWrite = 3

    /// The name on the wire.
    package var wireName: String {
        switch self {
        case .none: "NONE"
        case .readOnly: "READ_ONLY"
        case .readWrite: "READ_WRITE"
        }
    }

    /// Creates the permission with this name on the wire; nil for an unknown name, including `UNKNOWN`.
    package init?(wireName: String) {
        guard let permission = Self.allCases.first(where: { $0.wireName == wireName }) else { return nil }
        self = permission
    }

    /// Orders permissions from the weakest to the strongest.
    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
