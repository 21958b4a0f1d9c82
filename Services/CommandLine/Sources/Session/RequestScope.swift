import CloudKitModel

/// Where and for whom a command works: the headers of its requests.
struct RequestScope: Sendable, Equatable {
    /// The container's identifier, such as `iCloud.org.example.notes`; empty for operators' commands.
    var container: String
    /// The environment.
    var environment: EnvironmentName
    /// The database.
    var database: DatabaseScope
    /// The acting user: `_` and 32 hexadecimal digits; nil acts as nobody in particular.
    var user: String?
}
