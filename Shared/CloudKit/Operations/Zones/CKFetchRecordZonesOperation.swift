internal import CloudKitWire

/// An operation that fetches zones.
open class CKFetchRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The zones; nil for all zones.
    open var recordZoneIDs: [CKRecordZone.ID]?

    /// Called with each zone.
    open var perRecordZoneResultBlock:
        ((_ recordZoneID: CKRecordZone.ID, _ recordZoneResult: Result<CKRecordZone, any Error>) -> Void)?
    /// Called at the end. Errors of single zones are not errors of the operation.
    open var fetchRecordZonesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called at the end with the zones that were fetched.
    @available(macOS, introduced: 10.10, deprecated: 12.0, message: "Use fetchRecordZonesResultBlock instead")
    open var fetchRecordZonesCompletionBlock: (([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)?

    private let outcome = Locked(Outcome())
    private let fetchesAll: Bool

    private struct Outcome {
        var zones: [CKRecordZone.ID: CKRecordZone] = [:]
        var errors = PartialErrors()
    }

    /// Creates an operation without IDs.
    public override init() {
        fetchesAll = false
        super.init()
    }

    private init(fetchingAll: Bool) {
        fetchesAll = fetchingAll
        super.init()
    }

    /// Creates an operation.
    public convenience init(recordZoneIDs zoneIDs: [CKRecordZone.ID]) {
        self.init()
        recordZoneIDs = zoneIDs
    }

    /// Returns an operation that fetches all zones.
    open class func fetchAllRecordZonesOperation() -> Self {
        guard let operation = CKFetchRecordZonesOperation(fetchingAll: true) as? Self else {
            preconditionFailure("Call fetchAllRecordZonesOperation of CKFetchRecordZonesOperation itself")
        }
        return operation
    }

    override func perform() async throws(CKError) {
        let database = try webDatabase()
        guard !fetchesAll else {
            for item in try await database.zones() {
                let zone = try ZoneCoding.zone(from: item, in: database)
                report(zone.zoneID, .success(zone))
            }
            return
        }
        for part in (recordZoneIDs ?? []).unique.chunks(of: WebDatabase.maxZones) {
            try checkCancellation()
            for (id, item) in zip(part, try await database.zones(part)) {
                report(id, Result { () throws(CKError) in try ZoneCoding.zone(from: item, in: database) })
            }
            await callbacks.drain()
        }
    }

    private func report(_ id: CKRecordZone.ID, _ result: ItemResult<CKRecordZone>) {
        outcome.withLock { outcome in
            switch result {
            case .success(let zone): outcome.zones[id] = zone
            case .failure(let error): outcome.errors.add(error, of: id)
            }
        }
        callbacks.post { self.perRecordZoneResultBlock?(id, result.erased) }
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        let outcome = outcome.copy
        fetchRecordZonesCompletionBlock?(
            outcome.zones, error ?? outcome.errors.failure("Failed to fetch some record zones"))
        fetchRecordZonesResultBlock?(Result(failure: error))
        perRecordZoneResultBlock = nil
        fetchRecordZonesResultBlock = nil
        fetchRecordZonesCompletionBlock = nil
    }
}
