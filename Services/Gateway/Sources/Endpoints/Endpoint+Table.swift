internal import CloudKitModel
internal import ServiceMessages

extension Endpoint {
    /// The properties of an endpoint.
    struct Row {
        let answerer: Answerer
        let need: Need
        let databases: Set<DatabaseScope>
        let arrayKey: String?
        let maxBodyBytes: Int?
        let allowsGet: Bool

        init(
            _ answerer: Answerer, _ need: Need, in databases: Set<DatabaseScope> = [.public, .private, .shared],
            array arrayKey: String? = nil, maxBodyBytes: Int? = nil, allowsGet: Bool = false
        ) {
            (self.answerer, self.need, self.databases) = (answerer, need, databases)
            (self.arrayKey, self.maxBodyBytes, self.allowsGet) = (arrayKey, maxBodyBytes, allowsGet)
        }
    }

    /// The table of endpoints. The largest look-up of users is far below 1 MiB.
    var row: Row {
        switch self {
        case .recordsQuery: Row(.service(.recordsQuery), .apiToken, array: "records")
        case .recordsLookup: Row(.service(.recordsLookup), .apiToken, array: "records")
        case .recordsModify: Row(.service(.recordsModify), .apiToken, array: "records")
        case .recordsChanges: Row(.service(.recordsChanges), .user, in: [.private, .shared], array: "records")
        case .recordsResolve: Row(.unimplemented, .user, in: [.public], array: "results")
        case .recordsAccept: Row(.unimplemented, .user, in: [.public], array: "results")
        case .changesDatabase: Row(.service(.changesDatabase), .user, in: [.private, .shared], array: "zones")
        case .changesZone: Row(.service(.changesZone), .user, in: [.private, .shared], array: "zones")
        case .assetsUpload: Row(.service(.assetsUpload), .identity, array: "tokens")
        case .assetsRereference: Row(.service(.assetsRereference), .identity, array: "assets")
        case .zonesList: Row(.service(.zonesList), .identity, array: "zones", allowsGet: true)
        case .zonesLookup: Row(.service(.zonesLookup), .identity, array: "zones")
        case .zonesModify: Row(.service(.zonesModify), .identity, array: "zones")
        case .zonesChanges: Row(.service(.zonesChanges), .user, in: [.private, .shared], array: "zones")
        case .subscriptionsList: Row(.service(.subscriptionsList), .identity, array: "subscriptions", allowsGet: true)
        case .subscriptionsLookup: Row(.service(.subscriptionsLookup), .identity, array: "subscriptions")
        case .subscriptionsModify: Row(.service(.subscriptionsModify), .identity, array: "subscriptions")
        case .usersCaller: Row(.accounts, .identity, in: [.public, .private], maxBodyBytes: 1 << 20, allowsGet: true)
        case .usersCurrent: Row(.accounts, .identity, in: [.public, .private], maxBodyBytes: 1 << 20, allowsGet: true)
        case .usersSignOut: Row(.accounts, .user, in: [.public, .private], maxBodyBytes: 64 << 10)
        case .usersDiscover:
            Row(.accounts, .user, in: [.public], array: "users", maxBodyBytes: 1 << 20, allowsGet: true)
        case .usersLookupEmail: Row(.accounts, .user, in: [.public], array: "users", maxBodyBytes: 1 << 20)
        case .usersLookupID: Row(.accounts, .user, in: [.public], array: "users", maxBodyBytes: 1 << 20)
        case .usersLookupContacts:
            Row(.accounts, .user, in: [.public], array: "users", maxBodyBytes: 1 << 20, allowsGet: true)
        case .tokensCreate: Row(.service(.tokensCreate), .identity, maxBodyBytes: 64 << 10)
        case .tokensRegister: Row(.service(.tokensRegister), .identity, maxBodyBytes: 64 << 10)
        }
    }
}
