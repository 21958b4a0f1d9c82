/// The schemas of the environments that a piece of work is about, unchanging while it goes on.
package struct SchemaSnapshot: Sendable {
    /// By environment.
    package var environments: [EnvironmentRow: EnvironmentSchema]

    /// A snapshot of those environments.
    package init(environments: [EnvironmentRow: EnvironmentSchema] = [:]) { self.environments = environments }

    /// The type of that name, unless it is hidden.
    package func type(_ name: String, in environment: EnvironmentRow) -> RecordTypeSchema? {
        environments[environment]?.type(name)
    }

    /// The type with that id, hidden ones too.
    package func type(_ id: RecordTypeID) -> RecordTypeSchema? {
        for environment in environments.values {
            if let type = environment.type(id) { return type }
        }
        return nil
    }

    /// By what the records of the type with that id are read, hidden types too.
    package func layout(_ id: RecordTypeID) -> RecordLayout? {
        for environment in environments.values {
            if let layout = environment.layout(id) { return layout }
        }
        return nil
    }

    /// The custom roles of a user.
    package func roles(of user: String, in environment: EnvironmentRow) -> Set<String> {
        environments[environment]?.roles(of: user) ?? []
    }
}
