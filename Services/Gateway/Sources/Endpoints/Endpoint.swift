internal import CloudKitModel
internal import HTTPTypes
internal import ServiceMessages

/// The endpoints of CloudKit Web Services (web-services 2.0). The raw value is the end of the path.
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
    /// Ours: ends the sign-in by which it is asked.
    case usersSignOut = "users/signOut"
    case usersDiscover = "users/discover"
    case usersLookupEmail = "users/lookup/email"
    case usersLookupID = "users/lookup/id"
    case usersLookupContacts = "users/lookup/contacts"
    case tokensCreate = "tokens/create"
    case tokensRegister = "tokens/register"

    /// Who answers it.
    enum Answerer: Sendable {
        /// A service, over AMQP.
        case service(ServiceMessages.Operation)
        /// The gateway, from its accounts.
        case accounts
        /// Nobody yet: sharing.
        case nobody
    }

    /// Who answers it.
    var answerer: Answerer { row.answerer }

    /// For metrics and logs: with dots, as operations are called.
    var dottedName: String { Self.dottedNames[self] ?? rawValue }

    private static let dottedNames = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, $0.rawValue.replacing("/", with: ".")) })

    /// Whether it may be asked by GET, without a body (web-services 1.3).
    var allowsGet: Bool { row.allowsGet }

    /// What an `OPTIONS` or a 405 answers.
    var allow: String { allowsGet ? "GET,POST,OPTIONS" : "POST,OPTIONS" }

    /// The databases whose path it may stand in; none for the tokens, which belong to no database.
    var databases: Set<DatabaseScope> { row.databases }

    /// What a caller must be.
    enum Need: Sendable {
        /// Anybody with an API token, as far as the records' rights go.
        case anybody
        /// A user, or a server-to-server key.
        case identity
        /// A user, signed in.
        case user
    }

    /// What a caller must be in a public database; in others it is always a user (web-services 2.0 and 4.1).
    var need: Need { row.need }

    /// How long a body may be, in bytes; nil: as long as any request's.
    var maxBodyBytes: Int? { row.maxBodyBytes }

    /// The key whose array a good answer has (web-services 1.4); nil where the answer is something else.
    var arrayKey: String? { row.arrayKey }
}
