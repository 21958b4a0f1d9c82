/// A service, as operations and queues belong to one.
package enum ServiceName: String, Sendable, CaseIterable {
    case record, asset, subscription, gateway

    /// Its schema in the database: the gateway keeps accounts.
    package var schema: String { self == .gateway ? "account" : rawValue }
}

/// What can be asked of a service. The raw value is the routing key: the web-services endpoint with dots.
package enum Operation: String, Sendable, CaseIterable {
    case recordsModify = "records.modify"
    case recordsLookup = "records.lookup"
    case recordsChanges = "records.changes"
    case recordsQuery = "records.query"
    case recordsAggregate = "records.aggregate"
    case recordsExplain = "records.explain"
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
    case clientsForget = "clients.forget"

    case notificationsReplay = "notifications.replay"

    /// The queue that takes it from ``exchange``.
    package var queue: String { row.queue.name }
    /// The service that answers it.
    package var service: ServiceName { row.queue.service }
    /// The exchange that carries it.
    package var exchange: String { row.queue.exchange }
    /// The exchanges by which it may come: services ask for zones and records too, over their own exchange.
    package var exchanges: [String] { row.isAlsoBetweenServices ? [exchange, Exchange.internal] : [exchange] }
    /// Writes need a `message-id`, by which a repeat is known. (`assets.put` needs none: its effect is the same every
    /// time.)
    package var isWrite: Bool { row.isWrite }
    /// Whether it works in a database of a container, named by headers.
    package var isScoped: Bool { row.isScoped }
}
