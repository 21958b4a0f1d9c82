/// The schema of one environment: what CloudKit's schema language can say, and nothing else.
///
/// Two definitions are equal when they mean the same: roles, types, fields and grants are kept in the order in which
/// they are printed, whatever the order they came in.
package struct SchemaDefinition: Hashable, Sendable {
    /// The roles that were made, sorted by name; the implicit ones (`SystemRole`) are not among them.
    package let roles: [String]
    /// The types, sorted by name.
    package let recordTypes: [RecordTypeDefinition]

    /// A schema of `roles` and `recordTypes`, in any order. Names are expected to differ.
    package init(roles: [String] = [], recordTypes: [RecordTypeDefinition] = []) {
        self.roles = roles.sorted()
        self.recordTypes = recordTypes.sorted { $0.name < $1.name }
    }
}
