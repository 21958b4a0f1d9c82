package import CloudKitModel

/// Where and for whom a command works: the headers of its requests.
package struct RequestScope: Sendable, Equatable {
    /// The container's identifier, such as `iCloud.org.example.notes`; empty for operators' commands.
    package var container: String
    /// The environment.
    package var environment: EnvironmentName
    /// The database.
    package var database: DatabaseScope
    /// The acting user: `_` and 32 hexadecimal digits; nil acts as nobody in particular.
    package var user: String?

    /// A container's database, in which `user` acts.
    package init(container: String, environment: EnvironmentName, database: DatabaseScope, user: String?) {
        self.container = container
        self.environment = environment
        self.database = database
        self.user = user
    }
}
