/// The schema of one environment: everything that CloudKit's schema language can express.
///
/// Two definitions are equal if they have the same meaning, because roles, types, fields and grants are always kept in
/// printing order.
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
