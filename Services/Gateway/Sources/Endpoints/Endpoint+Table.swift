internal import CloudKitModel
internal import ServiceMessages

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

    /// The table of endpoints. The largest look-up of users is far below 1 MiB.
    var row: Row {
        switch self {
        case .recordsQuery: Row(.service(.recordsQuery), .apiToken)
        case .recordsLookup: Row(.service(.recordsLookup), .apiToken)
        case .recordsModify: Row(.service(.recordsModify), .apiToken)
        case .recordsChanges: Row(.service(.recordsChanges), .user, in: [.private, .shared])
        case .recordsResolve: Row(.unimplemented, .user, in: [.public])
        case .recordsAccept: Row(.unimplemented, .user, in: [.public])
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
