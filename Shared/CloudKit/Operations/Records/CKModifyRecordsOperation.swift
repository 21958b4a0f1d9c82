public import Foundation

/// An operation that saves and deletes records.
///
/// Records of several zones are sent in several requests. A batch that is too large for a request is split too, unless it
/// is atomic: then the server refuses it with ``CKError/Code/limitExceeded``.
open class CKModifyRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// What is saved of a record, and whether it may have changed on the server.
    public enum RecordSavePolicy: Int, Sendable {
        /// The changed fields, unless the record has changed on the server.
        case ifServerRecordUnchanged = 0
        /// The changed fields.
        case changedKeys = 1
        /// All fields that the client has.
        case allKeys = 2
    }

    /// The records to save.
    open var recordsToSave: [CKRecord]?
    /// The records to delete.
    open var recordIDsToDelete: [CKRecord.ID]?
    /// What is saved.
    open var savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged
    /// A name for the request. If the same records are sent again with it, the server executes the request only once.
    open var clientChangeTokenData: Data?
    /// Whether the records of a custom zone are saved either all or not at all.
    open var isAtomic = true

    /// Called with the progress of a record's save, at least once.
    open var perRecordProgressBlock: ((CKRecord, Double) -> Void)?
    /// Called with the result of each save.
    open var perRecordSaveBlock: ((_ recordID: CKRecord.ID, _ saveResult: Result<CKRecord, any Error>) -> Void)?
    /// Called with the result of each deletion.
    open var perRecordDeleteBlock: ((_ recordID: CKRecord.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
    /// Called at the end. Errors of single records are not errors of the operation.
    open var modifyRecordsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called with the result of each save.
    @available(macOS, introduced: 10.10, deprecated: 12.0, message: "Use perRecordSaveBlock instead")
    open var perRecordCompletionBlock: ((CKRecord, (any Error)?) -> Void)?
    /// Called at the end with the records that were saved and deleted.
    @available(macOS, introduced: 10.10, deprecated: 12.0, message: "Use modifyRecordsResultBlock instead")
    open var modifyRecordsCompletionBlock: (([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)?

    private let outcome = Locked(Outcome())

    private struct Outcome {
        var saved: [CKRecord] = []
        var deleted: [CKRecord.ID] = []
        var errors = PartialErrors()
    }

    /// Creates an operation without records.
    public override init() { super.init() }

    /// Creates an operation.
    public convenience init(recordsToSave: [CKRecord]? = nil, recordIDsToDelete: [CKRecord.ID]? = nil) {
        self.init()
        self.recordsToSave = recordsToSave
        self.recordIDsToDelete = recordIDsToDelete
    }

    override func perform() async throws(CKError) {
        let changes = (recordsToSave ?? []).map(RecordChange.save) + (recordIDsToDelete ?? []).map(RecordChange.delete)
        let ids = changes.map(\.recordID)
        guard ids.unique.count == ids.count else {
            throw CKError(.invalidArguments, "An operation must not contain the same record twice.")
        }
        let database = try webDatabase()
        let plan = RecordBatches(
            database: database, policy: savePolicy, isAtomic: isAtomic, token: clientChangeTokenData)
        for zoneID in ids.map(\.zoneID).unique {
            try checkCancellation()
            let ofZone = changes.filter { $0.recordID.zoneID == zoneID }
            let batches = await plan.batches(of: ofZone, in: zoneID) { [self] record, progress in
                callbacks.post { self.perRecordProgressBlock?(record, progress) }
            }
            for batch in batches {
                try checkCancellation()
                for (change, result) in try await plan.send(batch) { report(change, result) }
                await callbacks.drain()
            }
        }
    }

    private func report(_ change: RecordChange, _ result: ItemResult<Void>) {
        outcome.withLock { outcome in
            switch (change, result) {
            case (.save(let record), .success): outcome.saved.append(record)
            case (.delete(let id), .success): outcome.deleted.append(id)
            case (_, .failure(let error)): outcome.errors.add(error, of: change.recordID)
            }
        }
        callbacks.post { [self] in
            switch change {
            case .save(let record):
                if case .success = result { perRecordProgressBlock?(record, 1) }
                perRecordSaveBlock?(record.recordID, result.map { record }.mapError { $0 })
                perRecordCompletionBlock?(record, result.error)
            case .delete(let id): perRecordDeleteBlock?(id, result.mapError { $0 })
            }
        }
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        let outcome = outcome.copy
        modifyRecordsCompletionBlock?(
            outcome.saved, outcome.deleted, error ?? outcome.errors.failure("Failed to modify some records"))
        modifyRecordsResultBlock?(Result(failure: error))
        perRecordProgressBlock = nil
        perRecordSaveBlock = nil
        perRecordDeleteBlock = nil
        modifyRecordsResultBlock = nil
        perRecordCompletionBlock = nil
        modifyRecordsCompletionBlock = nil
    }
}
