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
    var answerer: Answerer {
        switch self {
        case .recordsQuery: .service(.recordsQuery)
        case .recordsLookup: .service(.recordsLookup)
        case .recordsModify: .service(.recordsModify)
        case .recordsChanges: .service(.recordsChanges)
        case .changesDatabase: .service(.changesDatabase)
        case .changesZone: .service(.changesZone)
        case .assetsUpload: .service(.assetsUpload)
        case .assetsRereference: .service(.assetsRereference)
        case .zonesList: .service(.zonesList)
        case .zonesLookup: .service(.zonesLookup)
        case .zonesModify: .service(.zonesModify)
        case .zonesChanges: .service(.zonesChanges)
        case .subscriptionsList: .service(.subscriptionsList)
        case .subscriptionsLookup: .service(.subscriptionsLookup)
        case .subscriptionsModify: .service(.subscriptionsModify)
        case .tokensCreate: .service(.tokensCreate)
        case .tokensRegister: .service(.tokensRegister)
        case .recordsResolve, .recordsAccept: .nobody
        case .usersCaller, .usersCurrent, .usersSignOut, .usersDiscover, .usersLookupEmail, .usersLookupID,
            .usersLookupContacts:
            .accounts
        }
    }

    /// For metrics and logs: with dots, as operations are called.
    var dottedName: String { Self.dottedNames[self] ?? rawValue }

    private static let dottedNames = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, $0.rawValue.replacing("/", with: ".")) })

    /// Whether it may be asked by GET, without a body (web-services 1.3).
    var allowsGet: Bool {
        switch self {
        case .zonesList, .subscriptionsList, .usersCaller, .usersCurrent, .usersDiscover, .usersLookupContacts: true
        default: false
        }
    }

    /// What an `OPTIONS` or a 405 answers.
    var allow: String { allowsGet ? "GET,POST,OPTIONS" : "POST,OPTIONS" }

    /// The databases whose path it may stand in; none for the tokens, which belong to no database.
    var databases: Set<DatabaseScope> {
        switch self {
        case .recordsResolve, .recordsAccept, .usersDiscover, .usersLookupEmail, .usersLookupID, .usersLookupContacts:
            [.public]
        case .usersCaller, .usersCurrent, .usersSignOut: [.public, .private]
        case .recordsChanges, .changesDatabase, .changesZone, .zonesChanges: [.private, .shared]
        case .zonesModify: [.private, .shared, .public]
        default: [.public, .private, .shared]
        }
    }

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
    var need: Need {
        switch self {
        case .recordsQuery, .recordsLookup, .recordsModify: .anybody
        case .usersCaller, .usersCurrent, .assetsUpload, .assetsRereference, .zonesList, .zonesLookup, .zonesModify,
            .subscriptionsList, .subscriptionsLookup, .subscriptionsModify, .tokensCreate, .tokensRegister:
            .identity
        default: .user
        }
    }

    /// How long a body may be, in bytes; nil: as long as any request's. People are looked up by names, of which
    /// ``UserLookup/maxPerRequest`` fit easily.
    var maxBodyBytes: Int? {
        switch self {
        case .usersCaller, .usersCurrent, .usersDiscover, .usersLookupEmail, .usersLookupID, .usersLookupContacts:
            1 << 20
        case .tokensCreate, .tokensRegister, .usersSignOut: 64 << 10
        default: nil
        }
    }

    /// The key whose array a good answer has (web-services 1.4); nil where the answer is something else.
    var arrayKey: String? {
        switch self {
        case .recordsQuery, .recordsLookup, .recordsModify, .recordsChanges: "records"
        case .recordsResolve, .recordsAccept: "results"
        case .changesDatabase, .changesZone, .zonesList, .zonesLookup, .zonesModify, .zonesChanges: "zones"
        case .assetsUpload, .assetsRereference: self == .assetsUpload ? "tokens" : "assets"
        case .subscriptionsList, .subscriptionsLookup, .subscriptionsModify: "subscriptions"
        case .usersDiscover, .usersLookupEmail, .usersLookupID, .usersLookupContacts: "users"
        case .usersCaller, .usersCurrent, .usersSignOut, .tokensCreate, .tokensRegister: nil
        }
    }
}
