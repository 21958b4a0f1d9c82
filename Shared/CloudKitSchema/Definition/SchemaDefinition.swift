/// The schema of one environment: everything that CloudKit's schema language can express.
///
/// Two definitions are equal if they mean the same: roles, types, fields and grants are kept in printing order,
/// whatever the order in which they were given.
package struct SchemaDefinition: Hashable, Sendable {
    /// The custom roles, sorted by name. The built-in roles (`SystemRole`) are not included.
    package let roles: [String]
    /// The types, sorted by name.
    package let recordTypes: [RecordTypeDefinition]

    /// Creates a schema from `roles` and `recordTypes`, in any order. Names must be unique.
    package init(roles: [String] = [], recordTypes: [RecordTypeDefinition] = []) {
        self.roles = roles.sorted()
        self.recordTypes = recordTypes.sorted { $0.name < $1.name }
    }
}
