internal import CloudKitModel

/// Where a request acts: `/{module}/1/{container}/{environment}/{database}/{entity}/{action}` (web-services 1.1), taken
/// apart and checked.
struct EndpointPath: Sendable, Hashable {
    /// The container's identifier, of visible ASCII.
    var container: String
    /// `development` or `production`.
    var environment: EnvironmentName
    /// The database; the public one for tokens, which have none.
    var database: DatabaseScope
    /// What is asked.
    var endpoint: Endpoint
}
