/// The schemas of the environments that one piece of work uses. They do not change until the work ends.
package struct SchemaSnapshot: Sendable {
    /// The schemas, keyed by environment.
    package var environments: [EnvironmentRow: EnvironmentSchema]

    /// Creates a snapshot of the given schemas.
    package init(environments: [EnvironmentRow: EnvironmentSchema] = [:]) { self.environments = environments }

    /// Returns the type called `name`, unless it is hidden.
    package func type(_ name: String, in environment: EnvironmentRow) -> RecordTypeSchema? {
        environments[environment]?.type(name)
    }

    /// Returns the type with the given id, even if it is hidden.
    package func type(_ id: RecordTypeID) -> RecordTypeSchema? {
        for environment in environments.values {
            if let type = environment.type(id) { return type }
        }
        return nil
    }

    /// Returns the layout of the records of the type with the given id, even if it is hidden.
    package func layout(_ id: RecordTypeID) -> RecordLayout? {
        for environment in environments.values {
            if let layout = environment.layout(id) { return layout }
        }
        return nil
    }

    /// Returns the custom roles of a user.
    package func roles(of user: String, in environment: EnvironmentRow) -> Set<String> {
        environments[environment]?.roles(of: user) ?? []
    }
}
