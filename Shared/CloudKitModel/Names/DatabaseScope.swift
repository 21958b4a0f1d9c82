/// One of the three databases of an environment. The raw value is stored.
package enum DatabaseScope: Int16, CaseIterable, Hashable, Sendable {
    /// One database for all users.
    case `public` = 1
    /// One database per user.
    case `private` = 2
    /// The records that other users have shared with the user.
    case shared = 3

    /// The name in paths and headers: `public`, `private`, `shared`.
    package var wireName: String {
        switch self {
        case .public: "public"
        case .private: "private"
        case .shared: "shared"
        }
    }

    /// Creates the scope with exactly this wire name; nil for any other name.
    package init?(wireName: String) {
        guard let scope = Self.allCases.first(where: { $0.wireName == wireName }) else { return nil }
        self = scope
    }

    /// Creates the scope from a wire name read from a table, which is always `public` or `private`.
    package init(stored wireName: String) { self = wireName == Self.public.wireName ? .public : .private }
}
