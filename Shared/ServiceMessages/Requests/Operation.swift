/// An operation of a service. The raw value is the routing key. For CloudKit's operations, it is the web services
/// endpoint with a dot instead of the slash.
package enum Operation: String, Sendable, CaseIterable {
    case recordsModify = "records.modify"
    case recordsLookup = "records.lookup"
    case recordsChanges = "records.changes"
    case recordsQuery = "records.query"
    case recordsAggregate = "records.aggregate"
    case recordsExplain = "records.explain"
    case recordsResolve = "records.resolve"
    case recordsAccept = "records.accept"
    case sharesRequestAccess = "shares.requestAccess"
    case zonesModify = "zones.modify"
    case zonesList = "zones.list"
    case zonesLookup = "zones.lookup"
    case zonesChanges = "zones.changes"
    case changesZone = "changes.zone"
    case changesDatabase = "changes.database"
    case serviceCapabilities = "service.capabilities"
    case assetsUpload = "assets.upload"
    case assetsRereference = "assets.rereference"
    case assetsPut = "assets.put"
    case subscriptionsModify = "subscriptions.modify"
    case subscriptionsList = "subscriptions.list"
    case subscriptionsLookup = "subscriptions.lookup"
    case badgesSet = "badges.set"
    case tokensCreate = "tokens.create"
    case tokensRegister = "tokens.register"
    case tokensStatus = "tokens.status"

    case containersCreate = "containers.create"
    case containersList = "containers.list"
    case containersDelete = "containers.delete"
    case zonesPurge = "zones.purge"
    case assetsReferences = "assets.references"
    case assetsStat = "assets.stat"
    case assetsJobs = "assets.jobs"
    case assetsReceipt = "assets.receipt"
    case assetsUsage = "assets.usage"
    case assetsQuota = "assets.quota"
    case assetsQuarantine = "assets.quarantine"
    case assetsReconcile = "assets.reconcile"
    case schemaExport = "schema.export"
    case schemaImport = "schema.import"
    case schemaValidate = "schema.validate"
    case schemaDeploy = "schema.deploy"
    case schemaReset = "schema.reset"
    case schemaStatus = "schema.status"
    case rolesList = "roles.list"
    case rolesAssign = "roles.assign"
    case sharesExplain = "shares.explain"
    case subscriptionsStates = "subscriptions.states"
    case subscriptionsTest = "subscriptions.test"
    case consumersGrant = "consumers.grant"
    case consumersList = "consumers.list"
    case consumersRevoke = "consumers.revoke"
    case usersCreate = "users.create"
    case usersList = "users.list"
    case usersToken = "users.token"
    case usersSignIns = "users.signIns"
    case usersPassword = "users.password"
    case usersSignOut = "users.signOut"
    case usersDelete = "users.delete"
    case apiTokensCreate = "apiTokens.create"
    case apiTokensList = "apiTokens.list"
    case apiTokensRevoke = "apiTokens.revoke"
    case serverKeysAdd = "serverKeys.add"
    case serverKeysList = "serverKeys.list"
    case serverKeysRevoke = "serverKeys.revoke"

    case changesLog = "changes.log"
    case assetsUsed = "assets.used"
    case assetsHolders = "assets.holders"
    case interestsSet = "interests.set"
    case sharesRights = "shares.rights"
    case sharesLocate = "shares.locate"
    case sharesAudience = "shares.audience"
    case clientsForget = "clients.forget"

    case notificationsReplay = "notifications.replay"

    /// The queue that receives the operation from ``exchange``.
    package var queue: String { row.queue.name }
    /// The service that executes the operation.
    package var service: ServiceName { row.queue.service }
    /// The exchange to which the operation is published.
    package var exchange: String { row.queue.exchange }
    /// The exchanges from which the operation may arrive. Some look-ups may also be sent by services, over
    /// ``Exchange/internal``.
    package var exchanges: [String] { row.isAlsoBetweenServices ? [exchange, Exchange.internal] : [exchange] }
    /// Whether the operation is a write. A write requires a `message-id`, which identifies its repeats. (`assets.put`
    /// requires none, because it is idempotent.)
    package var isWrite: Bool { row.isWrite }
    /// Whether the operation acts on a database of a container. If so, the request's headers name the container and the
    /// database.
    package var isScoped: Bool { row.isScoped }
    /// Whether the operation is supported in the shared database.
    package var servesSharedDatabase: Bool {
        switch self {
        case .recordsLookup, .recordsQuery, .recordsAggregate, .recordsExplain, .zonesList, .zonesLookup, .zonesChanges,
            .changesDatabase, .changesZone, .recordsChanges:
            true
        case .assetsUpload, .assetsRereference, .assetsPut, .sharesRights: true
        case .recordsModify, .zonesModify: true
        case .subscriptionsModify, .subscriptionsList, .subscriptionsLookup: true
        default: false
        }
    }
    /// Whether the gateway has an endpoint for the operation, at the path that corresponds to the operation's name. The
    /// gateway's tests compare the gateway's endpoints with this property.
    package var hasEndpoint: Bool { row.hasEndpoint }
}

extension Operation {
    /// The properties of an operation.
    struct Row {
        let queue: RequestQueue
        let isWrite: Bool
        /// Whether other services may also send the operation, over the exchange for requests between services.
        let isAlsoBetweenServices: Bool
        let isScoped: Bool
        let hasEndpoint: Bool

        /// - Parameter hasEndpoint: if nil, only an operation on ``Exchange/requests`` has an endpoint.
        static func read(
            _ queue: RequestQueue, alsoBetweenServices: Bool = false, isScoped: Bool? = nil, hasEndpoint: Bool? = nil
        ) -> Row {
            let isOfUsers = queue.exchange == Exchange.requests
            return Row(
                queue: queue, isWrite: false, isAlsoBetweenServices: alsoBetweenServices,
                isScoped: isScoped ?? isOfUsers, hasEndpoint: hasEndpoint ?? isOfUsers)
        }

        static func write(_ queue: RequestQueue) -> Row {
            let isOfUsers = queue.exchange == Exchange.requests
            return Row(
                queue: queue, isWrite: true, isAlsoBetweenServices: false, isScoped: isOfUsers,
                hasEndpoint: isOfUsers)
        }
    }

    /// The table of operations. To add an operation, add a case to ``Operation``, a row here, and a handler to the
    /// `OperationRouter` of its service; `deploy/docs/extending.md` lists the other steps.
    /// `Tests/Contract/check documents` reads this file.
    var row: Row {
        switch self {
        case .recordsModify: .write(.recordWrites)
        case .recordsLookup: .read(.recordReads, alsoBetweenServices: true)
        case .recordsChanges: .read(.recordReads)
        case .recordsQuery: .read(.recordQueries)
        case .recordsAggregate: .read(.recordQueries, hasEndpoint: false)
        case .recordsExplain: .read(.recordQueries, hasEndpoint: false)
        case .recordsResolve: .read(.recordReads)
        case .recordsAccept: .write(.recordWrites)
        case .sharesRequestAccess: .write(.recordWrites)
        case .zonesModify: .write(.recordWrites)
        case .zonesList: .read(.recordReads)
        case .zonesLookup: .read(.recordReads, alsoBetweenServices: true)
        case .zonesChanges: .read(.recordReads)
        case .changesZone: .read(.recordReads)
        case .changesDatabase: .read(.recordReads)
        case .serviceCapabilities: .read(.recordReads, hasEndpoint: false)
        case .assetsUpload: .read(.assetRequests)
        case .assetsRereference: .read(.assetRequests)
        case .assetsPut: .read(.assetPuts, hasEndpoint: false)
        case .subscriptionsModify: .write(.subscriptionRequests)
        case .subscriptionsList: .read(.subscriptionRequests)
        case .subscriptionsLookup: .read(.subscriptionRequests)
        case .badgesSet: .read(.subscriptionRequests, hasEndpoint: false)
        case .tokensCreate: .write(.subscriptionRequests)
        case .tokensRegister: .read(.subscriptionRequests)
        case .tokensStatus: .read(.subscriptionRequests, hasEndpoint: false)
        case .containersCreate: .write(.recordAdmin)
        case .containersList: .read(.recordAdmin)
        case .containersDelete: .write(.recordAdmin)
        case .zonesPurge: .write(.recordAdmin)
        case .assetsReferences: .read(.recordAdmin)
        case .assetsStat: .read(.assetAdmin)
        case .assetsJobs: .read(.assetAdmin)
        case .assetsReceipt: .read(.assetAdmin)
        case .assetsUsage: .read(.assetAdmin)
        case .assetsQuota: .read(.assetAdmin)
        case .assetsQuarantine: .read(.assetAdmin)
        case .assetsReconcile: .read(.assetAdmin)
        case .schemaExport: .read(.recordAdmin)
        case .schemaImport: .write(.recordAdmin)
        case .schemaValidate: .read(.recordAdmin)
        case .schemaDeploy: .write(.recordAdmin)
        case .schemaReset: .write(.recordAdmin)
        case .schemaStatus: .read(.recordAdmin)
        case .rolesList: .read(.recordAdmin)
        case .rolesAssign: .write(.recordAdmin)
        case .sharesExplain: .read(.recordAdmin)
        case .subscriptionsStates: .read(.subscriptionAdmin)
        case .subscriptionsTest: .read(.subscriptionAdmin)
        case .consumersGrant: .write(.subscriptionAdmin)
        case .consumersList: .read(.subscriptionAdmin)
        case .consumersRevoke: .write(.subscriptionAdmin)
        case .usersCreate: .write(.gatewayAdmin)
        case .usersList: .read(.gatewayAdmin)
        case .usersToken: .write(.gatewayAdmin)
        case .usersSignIns: .read(.gatewayAdmin)
        case .usersPassword: .write(.gatewayAdmin)
        case .usersSignOut: .write(.gatewayAdmin)
        case .usersDelete: .write(.gatewayAdmin)
        case .apiTokensCreate: .write(.gatewayAdmin)
        case .apiTokensList: .read(.gatewayAdmin)
        case .apiTokensRevoke: .write(.gatewayAdmin)
        case .serverKeysAdd: .write(.gatewayAdmin)
        case .serverKeysList: .read(.gatewayAdmin)
        case .serverKeysRevoke: .write(.gatewayAdmin)
        case .changesLog: .read(.recordInternal)
        case .assetsUsed: .read(.recordInternal)
        case .assetsHolders: .read(.recordInternal)
        case .interestsSet: .read(.recordInternal, isScoped: true)
        case .sharesRights: .read(.recordInternal, isScoped: true)
        case .sharesLocate: .read(.recordInternal)
        case .sharesAudience: .read(.recordInternal)
        case .clientsForget: .read(.subscriptionInternal)
        case .notificationsReplay: .read(.subscriptionReplays)
        }
    }
}
