internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// The beginning of a transaction: its zones, the ids of its requests and the schemas of its environments are locked.
struct WriteLocks {
    private let requests: [WriteRequest]
    private let isWaiting: Bool
    private let environments: [EnvironmentRow]
    private let locks: [PostgresCall]
    private let entry: [PostgresCall]

    /// Creates the locks for `requests`.
    ///
    /// - Parameter waiting: whether to wait a moment for the zone's lock; then all requests are of one zone.
    init(_ requests: [WriteRequest], waiting: Bool) {
        self.requests = requests
        isWaiting = waiting
        environments = Array(Set(requests.map(\.zone.database.environment)))
        let zones = ZoneTable.lock(Array(Set(requests.map(\.zone.row))), waiting: waiting)
        // Requests of other zones may have the same ids. A transaction that waits for a zone while it holds an id's lock, as
        // a deletion of zones does, waits for less than a second.
        let ids = RequestTable.record.lock(requests.map(\.requestKey))
        locks =
            waiting ? [LockTimeouts.shorten(to: LockTimeouts.lane), zones, ids, LockTimeouts.restore] : [zones, ids]
        // The schemas stay as they are until the end of the transaction. They are locked after the zones and not waited
        // for: a transaction that waits for a zone delays no change of a schema, and a change of one environment's schema
        // delays no other environment.
        entry = SchemaStore.tryEnter(environments)
    }

    /// The statements that begin the transaction and take the locks.
    var statements: [PostgresCall] { [.begin] + locks + entry }

    /// Sorts the requests by the locks that they got.
    ///
    /// - Parameter results: those of ``statements``.
    func locked(_ results: [PostgresResult]) -> LockedWrites {
        let zones = ZoneTable.locked(results[isWaiting ? 2 : 1])
        let entered = SchemaStore.entered(Array(results.suffix(entry.count)), of: environments)
        return LockedWrites(requests, zones: zones, entered: entered, wasWaiting: isWaiting)
    }
}

/// The requests of a transaction by the locks that they got.
struct LockedWrites {
    /// The requests that are decided, in order.
    private(set) var requests: [WriteRequest] = []
    /// The numbers of the last changes of the locked zones.
    private(set) var counters: [ZoneRow: Int64] = [:]
    /// The locked zones in which a background job is about to delete records.
    private(set) var cascading: Set<ZoneRow> = []
    /// The requests that are not decided.
    private(set) var passedOver = WriteResult()
    /// The environments whose schema is locked, and the statements' results for ``SchemaStore``.
    let entered: (environments: [EnvironmentRow], results: [PostgresResult])
    /// Whether the transaction began with only one request.
    let isOfOneRequest: Bool
    private var environments: [ZoneRow: EnvironmentRow] = [:]

    /// - Parameter wasWaiting: whether the zone's lock was waited for. Then a zone that was not locked is gone.
    fileprivate init(
        _ requests: [WriteRequest], zones: [ZoneRow: ZoneTable.Locked],
        entered: (environments: [EnvironmentRow], results: [PostgresResult]), wasWaiting: Bool
    ) {
        self.entered = entered
        isOfOneRequest = requests.count == 1
        for request in requests {
            let (zone, environment) = (request.zone.row, request.zone.database.environment)
            if !entered.environments.contains(environment) {
                passedOver.skipped.insert(zone)
                passedOver.returned.append(request)
            } else if let lock = zones[zone], !lock.isDeleted {
                self.requests.append(request)
                counters[zone] = lock.changeSeq
                environments[zone] = environment
                if lock.isCascading { cascading.insert(zone) }
            } else if zones[zone] != nil || wasWaiting {
                passedOver.zoneGone.append(request)
            } else {
                passedOver.skipped.insert(zone)
                passedOver.returned.append(request)
            }
        }
    }

    /// Those of `keys` that are in locked zones of `environment`.
    func keys<Keys: Collection<RecordKey>>(_ keys: Keys, in environment: EnvironmentRow) -> [RecordKey] {
        keys.filter { environments[$0.zone] == environment }
    }
}
