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

    /// Creates the scope with exactly this wire name; returns nil for any other name.
    package init?(wireName: String) {
        guard let scope = Self.allCases.first(where: { $0.wireName == wireName }) else { return nil }
        self = scope
    }

    /// Creates the scope from its wire name, `public` or `private`, as stored in a table.
    ///
    /// - Parameters:
    ///   - wireName: the value of the column.
    ///   - column: the column as `schema.table.column`, for the error.
    /// - Throws: ``StoredValueError`` for any other value.
    package init(stored wireName: String, column: String) throws(StoredValueError) {
        guard let scope = Self(wireName: wireName), scope != .shared else {
            throw StoredValueError(column: column, value: wireName)
        }
        self = scope
    }

    /// Creates the scope from its number as stored in a table.
    ///
    /// - Parameters:
    ///   - number: the value of the column.
    ///   - column: the column as `schema.table.column`, for the error.
    /// - Throws: ``StoredValueError`` for a number that no scope has.
    package init(stored number: Int16, column: String) throws(StoredValueError) {
        guard let scope = Self(rawValue: number) else { throw StoredValueError(column: column, value: "\(number)") }
        self = scope
    }
}
