/// An operation of a service. The raw value is the routing key. For CloudKit's operations, it is the web services
/// endpoint with a dot instead of the slash.
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

    /// The queue that receives the operation from ``exchange``.
    package var queue: String { row.queue.name }
    /// The service that executes the operation.
    package var service: ServiceName { row.queue.service }
    /// The exchange to which the operation is published.
    package var exchange: String { row.queue.exchange }
    /// The exchanges from which the operation may arrive. Some lookups may also be sent by services, over
    /// ``Exchange/internal``.
    package var exchanges: [String] { row.isAlsoBetweenServices ? [exchange, Exchange.internal] : [exchange] }
    /// Whether the operation is a write. A write requires a `message-id`, by which repeats are recognized.
    /// (`assets.put` requires none, because it is idempotent.)
    package var isWrite: Bool { row.isWrite }
    /// Whether the operation acts on a database of a container. Headers name the container and the database.
    package var isScoped: Bool { row.isScoped }
}
