package import CloudKitModel

/// The database on which a command operates and the user on whose behalf it acts, as sent in the headers of requests.
package struct RequestScope: Sendable, Equatable {
    /// The container's identifier, such as `iCloud.org.example.notes`; empty for operator commands.
    package var container: String
    /// The environment.
    package var environment: EnvironmentName
    /// The database.
    package var database: DatabaseScope
    /// The acting user: `_` followed by 32 hexadecimal digits; nil for requests without a user.
    package var user: String?

    /// Creates the scope of requests to a container's database.
    package init(container: String, environment: EnvironmentName, database: DatabaseScope, user: String?) {
        self.container = container
        self.environment = environment
        self.database = database
        self.user = user
    }
}
