internal import CloudKitModel
internal import HTTPTypes
internal import ServiceMessages

/// An endpoint of CloudKit Web Services (web-services 2.0). The raw value is the end of the endpoint's path.
enum Endpoint: String, CaseIterable, Sendable {
    case recordsQuery = "records/query"
    case recordsLookup = "records/lookup"
    case recordsModify = "records/modify"
    case recordsChanges = "records/changes"
    case recordsResolve = "records/resolve"
    case recordsAccept = "records/accept"
    /// Zonda's own endpoint; it requests access to shares.
    case sharesRequestAccess = "shares/requestAccess"
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
    /// Zonda's own endpoint; it signs the caller out.
    case usersSignOut = "users/signOut"
    case usersDiscover = "users/discover"
    case usersLookupEmail = "users/lookup/email"
    case usersLookupID = "users/lookup/id"
    case usersLookupContacts = "users/lookup/contacts"
    case tokensCreate = "tokens/create"
    case tokensRegister = "tokens/register"

    /// The part of the system that answers requests to an endpoint.
    enum Answerer: Sendable {
        /// A service, which executes an operation that is sent over AMQP.
        case service(ServiceMessages.Operation)
        /// The gateway, which uses its own account data.
        case accounts
    }

    /// The part of the system that answers requests to the endpoint.
    var answerer: Answerer { row.answerer }

    /// The name in metrics and logs, with dots as in the names of operations.
    var dottedName: String { Self.dottedNames[self] ?? rawValue }

    private static let dottedNames = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, $0.rawValue.replacing("/", with: ".")) })

    /// Whether the endpoint accepts GET, without a body (web-services 1.3).
    var allowsGet: Bool { row.allowsGet }

    /// The methods in the response to `OPTIONS` and in a 405.
    var allow: String { allowsGet ? "GET,POST,OPTIONS" : "POST,OPTIONS" }

    /// The databases in which the endpoint is available. The token endpoints belong to no database, but accept any.
    var databases: Set<DatabaseScope> { row.databases }

    /// The credentials that an endpoint requires.
    enum Need: Sendable {
        /// An API token. Access to each record then depends on the permissions of its type.
        case apiToken
        /// A user who has signed in, or a server-to-server key.
        case identity
        /// A user who has signed in.
        case user
    }

    /// The credentials that the endpoint requires in a public database. Other databases always require a user
    /// (web-services 2.0 and 4.1).
    var need: Need { row.need }

    /// The maximum size of a body, in bytes; nil if the general limit applies.
    var maxBodyBytes: Int? { row.maxBodyBytes }
}

extension Endpoint {
    /// The properties of an endpoint.
    struct Row {
        let answerer: Answerer
        let need: Need
        let databases: Set<DatabaseScope>
        let maxBodyBytes: Int?
        let allowsGet: Bool

        init(
            _ answerer: Answerer, _ need: Need, in databases: Set<DatabaseScope> = [.public, .private, .shared],
            maxBodyBytes: Int? = nil, allowsGet: Bool = false
        ) {
            (self.answerer, self.need, self.databases) = (answerer, need, databases)
            (self.maxBodyBytes, self.allowsGet) = (maxBodyBytes, allowsGet)
        }
    }

    /// The endpoint's row in the table of endpoints. The largest request that looks up users is far smaller than 1 MiB.
    var row: Row {
        switch self {
        case .recordsQuery: Row(.service(.recordsQuery), .apiToken)
        case .recordsLookup: Row(.service(.recordsLookup), .apiToken)
        case .recordsModify: Row(.service(.recordsModify), .apiToken)
        case .recordsChanges: Row(.service(.recordsChanges), .user, in: [.private, .shared])
        case .recordsResolve: Row(.service(.recordsResolve), .user, in: [.public], maxBodyBytes: 1 << 20)
        case .recordsAccept: Row(.service(.recordsAccept), .user, in: [.public], maxBodyBytes: 1 << 20)
        case .sharesRequestAccess: Row(.service(.sharesRequestAccess), .user, in: [.public], maxBodyBytes: 1 << 20)
        case .changesDatabase: Row(.service(.changesDatabase), .user, in: [.private, .shared])
        case .changesZone: Row(.service(.changesZone), .user, in: [.private, .shared])
        case .assetsUpload: Row(.service(.assetsUpload), .identity)
        case .assetsRereference: Row(.service(.assetsRereference), .identity)
        case .zonesList: Row(.service(.zonesList), .identity, allowsGet: true)
        case .zonesLookup: Row(.service(.zonesLookup), .identity)
        case .zonesModify: Row(.service(.zonesModify), .identity)
        case .zonesChanges: Row(.service(.zonesChanges), .user, in: [.private, .shared])
        case .subscriptionsList: Row(.service(.subscriptionsList), .identity, allowsGet: true)
        case .subscriptionsLookup: Row(.service(.subscriptionsLookup), .identity)
        case .subscriptionsModify: Row(.service(.subscriptionsModify), .identity)
        case .usersCaller: Row(.accounts, .identity, in: [.public, .private], maxBodyBytes: 1 << 20, allowsGet: true)
        case .usersCurrent: Row(.accounts, .identity, in: [.public, .private], maxBodyBytes: 1 << 20, allowsGet: true)
        case .usersSignOut: Row(.accounts, .user, in: [.public, .private], maxBodyBytes: 64 << 10)
        case .usersDiscover:
            Row(.accounts, .user, in: [.public], maxBodyBytes: 1 << 20, allowsGet: true)
        case .usersLookupEmail: Row(.accounts, .user, in: [.public], maxBodyBytes: 1 << 20)
        case .usersLookupID: Row(.accounts, .user, in: [.public], maxBodyBytes: 1 << 20)
        case .usersLookupContacts:
            Row(.accounts, .user, in: [.public], maxBodyBytes: 1 << 20, allowsGet: true)
        case .tokensCreate: Row(.service(.tokensCreate), .identity, maxBodyBytes: 64 << 10)
        case .tokensRegister: Row(.service(.tokensRegister), .identity, maxBodyBytes: 64 << 10)
        }
    }
}
