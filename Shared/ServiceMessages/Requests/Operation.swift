/// An operation of a service. The raw value is the routing key: the web-services endpoint with dots instead of slashes.
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

    /// The queue that receives it from ``exchange``.
    package var queue: String { row.queue.name }
    /// The service that answers it.
    package var service: ServiceName { row.queue.service }
    /// The exchange that carries it.
    package var exchange: String { row.queue.exchange }
    /// The exchanges that may deliver it. Services also look up zones and records, over their own exchange.
    package var exchanges: [String] { row.isAlsoBetweenServices ? [exchange, Exchange.internal] : [exchange] }
    /// Whether it is a write. A write requires a `message-id`, which identifies repeats. (`assets.put` requires none,
    /// because it is idempotent.)
    package var isWrite: Bool { row.isWrite }
    /// Whether it acts on a database of a container, which headers name.
    package var isScoped: Bool { row.isScoped }
}
