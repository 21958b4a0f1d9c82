/// Which of the three databases of an environment. The raw value is the one in storage.
package enum DatabaseScope: Int16, CaseIterable, Hashable, Sendable {
    /// One database, everybody's.
    case `public` = 1
    /// One database per user.
    case `private` = 2
    /// What others have shared with the user.
    case shared = 3

    /// The name in paths and headers: `public`, `private`, `shared`.
    package var wireName: String {
        switch self {
        case .public: "public"
        case .private: "private"
        case .shared: "shared"
        }
    }

    /// The scope of that name, exactly spelled; nil for any other.
    package init?(wireName: String) {
        guard let scope = Self.allCases.first(where: { $0.wireName == wireName }) else { return nil }
        self = scope
    }
}
