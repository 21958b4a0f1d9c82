package import RecordStorage

extension BatchPlanner {
    /// The parts of the schema that the planner uses.
    package struct SchemaView: Sendable {
        /// Returns a type by name.
        package var named: @Sendable (String, EnvironmentRow) -> RecordTypeSchema?
        /// Returns a type by the id of its row.
        package var identified: @Sendable (RecordTypeID) -> RecordTypeSchema?
        /// Returns the custom roles of a user.
        package var roles: @Sendable (String, EnvironmentRow) -> Set<String>

        /// Creates a view from the given functions.
        package init(
            named: @escaping @Sendable (String, EnvironmentRow) -> RecordTypeSchema?,
            identified: @escaping @Sendable (RecordTypeID) -> RecordTypeSchema?,
            roles: @escaping @Sendable (String, EnvironmentRow) -> Set<String> = { _, _ in [] }
        ) {
            self.named = named
            self.identified = identified
            self.roles = roles
        }

        /// Creates a view of a snapshot.
        init(_ schema: SchemaSnapshot) {
            self.init(
                named: { schema.type($0, in: $1) }, identified: { schema.type($0) },
                roles: { schema.roles(of: $0, in: $1) })
        }
    }
}
