internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// The beginning of a transaction: it locks the zones, the request ids and the schemas of the environments.
struct WriteLocks {
    private let requests: [WriteRequest]
    private let isWaiting: Bool
    private let environments: [EnvironmentRow]
    private let locks: [PostgresCall]
    private let entry: [PostgresCall]

    /// Creates the locks for `requests`.
    ///
    /// - Parameter waiting: whether to wait briefly for the zone's lock. If so, all requests must be in one zone.
    init(_ requests: [WriteRequest], waiting: Bool) {
        self.requests = requests
        isWaiting = waiting
        environments = Array(Set(requests.map(\.zone.database.environment)))
        let zones = ZoneTable.lock(Array(Set(requests.map(\.zone.row))), waiting: waiting)
        // The ids are locked too, because requests in other zones can have the same ids. The wait for an id is short,
        // because transactions that hold the lock on an id while they wait for a zone, such as zone deletions, wait for
        // less than a second.
        let ids = RequestTable.record.lock(requests.map(\.requestKey))
        locks =
            waiting ? [LockTimeouts.shorten(to: LockTimeouts.lane), zones, ids, LockTimeouts.restore] : [zones, ids]
        // The schema locks keep the schemas unchanged until the end of the transaction. They are taken after the zone
        // locks, so that a transaction that is waiting for a zone does not delay schema changes. The transaction does
        // not wait for schema locks, so that a schema change in one environment does not delay other environments.
        entry = SchemaStore.tryEnter(environments)
    }

    /// The statements that begin the transaction and take the locks.
    var statements: [PostgresCall] { [.begin] + locks + entry }

    /// Groups the requests by whether their locks were granted.
    ///
    /// - Parameter results: the results of ``statements``.
    func locked(_ results: [PostgresResult]) -> LockedWrites {
        let zones = ZoneTable.locked(results[isWaiting ? 2 : 1])
        let entered = SchemaStore.entered(Array(results.suffix(entry.count)), of: environments)
        return LockedWrites(requests, zones: zones, entered: entered, wasWaiting: isWaiting)
    }
}

/// The requests of a transaction, grouped by whether their locks were granted.
struct LockedWrites {
    /// The requests whose outcomes are to be decided, in order.
    private(set) var requests: [WriteRequest] = []
    /// The number of the last change of each locked zone.
    private(set) var counters: [ZoneRow: Int64] = [:]
    /// The locked zones in which records are pending deletion.
    private(set) var cascading: Set<ZoneRow> = []
    /// The kind of shares in each locked zone.
    private(set) var sharing: [ZoneRow: ZoneSharing] = [:]
    /// The moves that a background job completes in each locked zone.
    private(set) var moves: [ZoneRow: ShareMoves] = [:]
    /// The result for the requests whose outcomes cannot be decided in this transaction.
    private(set) var passedOver = WriteResult()
    /// The environments whose schemas are locked, and the results of the locking statements, which ``SchemaStore``
    /// needs.
    let entered: (environments: [EnvironmentRow], results: [PostgresResult])
    /// Whether the transaction began with only one request.
    let isOfOneRequest: Bool
    private var environments: [ZoneRow: EnvironmentRow] = [:]

    /// - Parameter wasWaiting: whether the transaction waited for the zone's lock. If so, a zone that was not locked no
    ///   longer exists.
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
                sharing[zone] = lock.sharing
                moves[zone] = lock.moves
            } else if zones[zone] != nil || wasWaiting {
                passedOver.zoneGone.append(request)
            } else {
                passedOver.skipped.insert(zone)
                passedOver.returned.append(request)
            }
        }
    }

    /// Returns the keys that are in locked zones of `environment`.
    func keys<Keys: Collection<RecordKey>>(_ keys: Keys, in environment: EnvironmentRow) -> [RecordKey] {
        keys.filter { isZone($0.zone, in: environment) }
    }

    /// Whether a zone is locked and belongs to `environment`.
    func isZone(_ zone: ZoneRow, in environment: EnvironmentRow) -> Bool { environments[zone] == environment }
}
