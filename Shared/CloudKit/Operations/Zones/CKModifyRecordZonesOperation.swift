internal import CloudKitWire

/// An operation that creates and deletes zones.
open class CKModifyRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The zones to create.
    open var recordZonesToSave: [CKRecordZone]?
    /// The zones to delete.
    open var recordZoneIDsToDelete: [CKRecordZone.ID]?

    /// Called with the result of each creation.
    open var perRecordZoneSaveBlock:
        ((_ recordZoneID: CKRecordZone.ID, _ saveResult: Result<CKRecordZone, any Error>) -> Void)?
    /// Called with the result of each deletion.
    open var perRecordZoneDeleteBlock:
        ((_ recordZoneID: CKRecordZone.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
    /// Called at the end. Errors of single zones are not errors of the operation.
    open var modifyRecordZonesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called at the end with the zones that were created and deleted.
    @available(macOS, introduced: 10.10, deprecated: 12.0, message: "Use modifyRecordZonesResultBlock instead")
    open var modifyRecordZonesCompletionBlock: (([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?

    private let outcome = Locked(Outcome())

    private struct Outcome {
        var saved: [CKRecordZone] = []
        var deleted: [CKRecordZone.ID] = []
        var errors = PartialErrors()
    }

    /// Creates an operation without zones.
    public override init() { super.init() }

    /// Creates an operation.
    public convenience init(recordZonesToSave: [CKRecordZone]? = nil, recordZoneIDsToDelete: [CKRecordZone.ID]? = nil) {
        self.init()
        self.recordZonesToSave = recordZonesToSave
        self.recordZoneIDsToDelete = recordZoneIDsToDelete
    }

    override func perform() async throws(CKError) {
        let database = try webDatabase()
        for part in (recordZonesToSave ?? []).chunks(of: WebDatabase.maxZones) {
            try checkCancellation()
            let items = try await database.modifyZones(creating: part.map(\.zoneID), deleting: [])
            for (zone, item) in zip(part, items) {
                save(zone, Result { () throws(CKError) in try ZoneCoding.zone(from: item, in: database) })
            }
            await callbacks.drain()
        }
        for part in (recordZoneIDsToDelete ?? []).chunks(of: WebDatabase.maxZones) {
            try checkCancellation()
            let items = try await database.modifyZones(creating: [], deleting: part)
            for (id, item) in zip(part, items) { delete(id, item.fault?.error()) }
            await callbacks.drain()
        }
    }

    private func save(_ zone: CKRecordZone, _ result: ItemResult<CKRecordZone>) {
        outcome.withLock { outcome in
            switch result {
            case .success(let zone): outcome.saved.append(zone)
            case .failure(let error): outcome.errors.add(error, of: zone.zoneID)
            }
        }
        callbacks.post { self.perRecordZoneSaveBlock?(zone.zoneID, result.erased) }
    }

    private func delete(_ id: CKRecordZone.ID, _ error: CKError?) {
        outcome.withLock { outcome in
            if let error { outcome.errors.add(error, of: id) } else { outcome.deleted.append(id) }
        }
        callbacks.post { self.perRecordZoneDeleteBlock?(id, Result(failure: error)) }
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        let outcome = outcome.copy
        modifyRecordZonesCompletionBlock?(
            outcome.saved, outcome.deleted, error ?? outcome.errors.failure("Failed to modify some record zones"))
        modifyRecordZonesResultBlock?(Result(failure: error))
        perRecordZoneSaveBlock = nil
        perRecordZoneDeleteBlock = nil
        modifyRecordZonesResultBlock = nil
        modifyRecordZonesCompletionBlock = nil
    }
}
