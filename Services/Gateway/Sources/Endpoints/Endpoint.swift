internal import CloudKitModel
internal import HTTPTypes
internal import ServiceMessages

/// An endpoint of CloudKit Web Services (web-services 2.0). The raw value is the end of its path.
enum Endpoint: String, CaseIterable, Sendable {
    case recordsQuery = "records/query"
    case recordsLookup = "records/lookup"
    case recordsModify = "records/modify"
    case recordsChanges = "records/changes"
    case recordsResolve = "records/resolve"
    case recordsAccept = "records/accept"
    case changesDatabase = "changes/database"
    case changesZone = "changes/zone"
    case assetsUpload = "assets/upload"
    case assetsRereference = "assets/rereference"
    case zonesList = "zones/list"
    case zonesLookup = "zones/lookup"
    case zonesModify = "zones/modify"
    case zonesChanges = "zones/changes"
    case subscriptionsList = "subscriptions/list"
    case subscriptionsLookup = "subscriptions/lookup"
    case subscriptionsModify = "subscriptions/modify"
    case usersCaller = "users/caller"
    case usersCurrent = "users/current"
    /// Zonda's own endpoint; it ends the caller's sign-in.
    case usersSignOut = "users/signOut"
    case usersDiscover = "users/discover"
    case usersLookupEmail = "users/lookup/email"
    case usersLookupID = "users/lookup/id"
    case usersLookupContacts = "users/lookup/contacts"
    case tokensCreate = "tokens/create"
    case tokensRegister = "tokens/register"

    /// The part that answers an endpoint.
    enum Answerer: Sendable {
        /// A service, by an operation over AMQP.
        case service(ServiceMessages.Operation)
        /// The gateway, from its accounts.
        case accounts
        /// None; sharing is not implemented yet.
        case unimplemented
    }

    /// The part that answers the endpoint.
    var answerer: Answerer { row.answerer }

    /// The name in metrics and logs, with dots as in the names of operations.
    var dottedName: String { Self.dottedNames[self] ?? rawValue }

    private static let dottedNames = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, $0.rawValue.replacing("/", with: ".")) })

    /// Whether the endpoint accepts GET, without a body (web-services 1.3).
    var allowsGet: Bool { row.allowsGet }

    /// The methods in the answer to `OPTIONS` and in a 405.
    var allow: String { allowsGet ? "GET,POST,OPTIONS" : "POST,OPTIONS" }

    /// The databases in which the endpoint is available. Tokens belong to no database, but their paths may name any.
    var databases: Set<DatabaseScope> { row.databases }

    /// The credentials that an endpoint requires.
    enum Need: Sendable {
        /// An API token. For each record, the permissions of its type then decide.
        case apiToken
        /// A user who has signed in, or a server-to-server key.
        case identity
        /// A user who has signed in.
        case user
    }

    /// The credentials that the endpoint requires in a public database. Other databases always require a user
    /// (web-services 2.0 and 4.1).
    var need: Need { row.need }

    /// The maximum size of a body, in bytes; nil if the limit of all requests applies.
    var maxBodyBytes: Int? { row.maxBodyBytes }
}
