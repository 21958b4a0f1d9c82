/// What can be asked of a service. The raw value is the routing key: the web-services endpoint with dots.
package enum Operation: String, Sendable, CaseIterable {
    case recordsModify = "records.modify"
    case recordsLookup = "records.lookup"
    case recordsChanges = "records.changes"
    case zonesModify = "zones.modify"
    case zonesList = "zones.list"
    case zonesLookup = "zones.lookup"
    case changesZone = "changes.zone"
    case changesDatabase = "changes.database"
    case containersCreate = "containers.create"
    case containersList = "containers.list"
    case containersDelete = "containers.delete"
    case changesLog = "changes.log"

    /// The exchange that carries it.
    package var exchange: String {
        switch self {
        case .containersCreate, .containersList, .containersDelete: Exchange.admin
        case .changesLog: Exchange.internal
        default: Exchange.requests
        }
    }

    /// The queue that takes it.
    package var queue: String {
        switch self {
        case .recordsModify, .zonesModify: Queue.recordWrites
        case .containersCreate, .containersList, .containersDelete: Queue.recordAdmin
        case .changesLog: Queue.recordInternal
        default: Queue.recordReads
        }
    }

    /// Writes need a `message-id`, by which a repeat is known.
    package var isWrite: Bool {
        switch self {
        case .recordsModify, .zonesModify, .containersCreate, .containersDelete: true
        default: false
        }
    }

    /// Whether it works in a database of a container, named by headers.
    package var isScoped: Bool { exchange == Exchange.requests }
}
