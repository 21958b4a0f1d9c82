/// The schemas of the environments of one piece of work. They do not change while it lasts.
package struct SchemaSnapshot: Sendable {
    /// The schemas by environment.
    package var environments: [EnvironmentRow: EnvironmentSchema]

    /// Creates a snapshot of those environments.
    package init(environments: [EnvironmentRow: EnvironmentSchema] = [:]) { self.environments = environments }

    /// Returns the type called `name`, unless it is hidden.
    package func type(_ name: String, in environment: EnvironmentRow) -> RecordTypeSchema? {
        environments[environment]?.type(name)
    }

    /// Returns the type with that id, even a hidden one.
    package func type(_ id: RecordTypeID) -> RecordTypeSchema? {
        for environment in environments.values {
            if let type = environment.type(id) { return type }
        }
        return nil
    }

    /// Returns the layout of the records of the type with that id, even a hidden one.
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
