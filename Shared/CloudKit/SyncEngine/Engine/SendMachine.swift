/// Decides what is sent, and what is handed over. It neither sends nor waits.
///
/// An attempt ends with the first request in which a change fails: the delegate is to resolve the cause before more is
/// sent.
struct SendMachine {
    /// The next request.
    enum Step {
        case modifyZones(saving: [CKRecordZone], deleting: [CKRecordZone.ID])
        /// The delegate is asked for the next batch.
        case askForBatch
        case modifyRecords(CKSyncEngine.RecordZoneChangeBatch)
        case done
    }

    /// The largest number of zones in a request.
    static let maxZones = 200

    private let context: CKSyncEngine.SendChangesContext
    private var batch: CKSyncEngine.RecordZoneChangeBatch?
    private var isExhausted = false
    /// The moment up to which the application's changes are contained in the request.
    private var moment = 0
    private var errors: [AnyHashable: CKError] = [:]
    private var failure: CKError?
    /// Whether anything was saved or deleted in the attempt.
    private(set) var hasProgress = false

    init(_ context: CKSyncEngine.SendChangesContext) { self.context = context }

    /// The error of the attempt; nil if everything was sent.
    var error: CKError? { failure ?? .partialFailure(errors) }

    /// The first event.
    var beginning: HandOver { HandOver(event: .willSendChanges(.init(context: context))) }

    /// The last event.
    var ending: HandOver { HandOver(event: .didSendChanges(.init(context: context))) }

    /// Returns the next request.
    mutating func next(_ state: SyncState) -> Step {
        guard error == nil, !isExhausted else { return .done }
        if let batch { return .modifyRecords(batch) }
        moment = state.moment
        let changes = state.databaseChanges.changes.prefix(Self.maxZones)
        guard !changes.isEmpty else { return .askForBatch }
        var (saves, deletes): ([CKRecordZone], [CKRecordZone.ID]) = ([], [])
        for change in changes {
            switch change {
            case .saveZone(let zone): saves.append(zone)
            case .deleteZone(let id): deletes.append(id)
            }
        }
        return .modifyZones(saving: saves, deleting: deletes)
    }

    /// Takes the delegate's next batch; nil if it has none.
    mutating func receive(_ batch: CKSyncEngine.RecordZoneChangeBatch?) -> [HandOver] {
        if let batch, !batch.recordsToSave.isEmpty || !batch.recordIDsToDelete.isEmpty {
            self.batch = batch
            return []
        }
        isExhausted = true
        return context.options.scope == .all ? [HandOver(after: [.sentUntracked(moment)])] : []
    }

    /// Takes the results of changes of zones.
    mutating func receive(
        _ answer: Result<SyncTransport.ZoneResults, CKError>, saving: [CKRecordZone], deleting: [CKRecordZone.ID]
    ) -> [HandOver] {
        let results = take(answer)
        var settled: [CKSyncEngine.PendingDatabaseChange] = []
        var (saved, deleted): ([CKRecordZone], [CKRecordZone.ID]) = ([], [])
        var failedSaves: [CKSyncEngine.Event.SentDatabaseChanges.FailedZoneSave] = []
        var failedDeletes: [CKRecordZone.ID: CKError] = [:]
        for zone in saving {
            switch results?.saved[zone.zoneID] ?? missing() {
            case .success(let answered):
                saved.append(answered)
                settled.append(.saveZone(zone))
            case .failure(let error):
                failedSaves.append(.init(zone: zone, error: error))
                if note(error, of: zone.zoneID) { settled.append(.saveZone(zone)) }
            }
        }
        for zone in deleting {
            if case .failure(let error) = results?.deleted[zone] ?? missing(), !error.saysThatZoneIsGone {
                failedDeletes[zone] = error
                if note(error, of: zone) { settled.append(.deleteZone(zone)) }
            } else {
                deleted.append(zone)
                settled.append(.deleteZone(zone))
            }
        }
        if !saved.isEmpty || !deleted.isEmpty { hasProgress = true }
        let event = CKSyncEngine.Event.SentDatabaseChanges(
            savedZones: saved, failedZoneSaves: failedSaves, deletedZoneIDs: deleted, failedZoneDeletes: failedDeletes)
        return [HandOver(before: [.settledZones(settled, moment)], event: .sentDatabaseChanges(event))]
    }

    /// Takes the results of the batch.
    mutating func receive(_ answer: Result<SyncTransport.RecordResults, CKError>) -> [HandOver] {
        guard let batch else { return [] }
        self.batch = nil
        let results = take(answer)
        var settled: [CKSyncEngine.PendingRecordZoneChange] = []
        var (saved, deleted): ([CKRecord], [CKRecord.ID]) = ([], [])
        var failedSaves: [CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave] = []
        var failedDeletes: [CKRecord.ID: CKError] = [:]
        for record in batch.recordsToSave {
            switch results?.saved[record.recordID] ?? missing() {
            case .success(let answered):
                saved.append(answered)
                settled.append(.saveRecord(record.recordID))
            case .failure(let error):
                failedSaves.append(.init(record: record, error: error))
                if note(error, of: record.recordID) { settled.append(.saveRecord(record.recordID)) }
            }
        }
        for id in batch.recordIDsToDelete {
            if case .failure(let error) = results?.deleted[id] ?? missing(), error.code != .unknownItem {
                failedDeletes[id] = error
                if note(error, of: id) { settled.append(.deleteRecord(id)) }
            } else {
                deleted.append(id)
                settled.append(.deleteRecord(id))
            }
        }
        if !saved.isEmpty || !deleted.isEmpty { hasProgress = true }
        let event = CKSyncEngine.Event.SentRecordZoneChanges(
            savedRecords: saved, failedRecordSaves: failedSaves, deletedRecordIDs: deleted,
            failedRecordDeletes: failedDeletes)
        return [HandOver(before: [.settledRecords(settled, moment)], event: .sentRecordZoneChanges(event))]
    }

    /// Takes an answer; its error, if any, concerns the whole attempt.
    private mutating func take<Results>(_ answer: Result<Results, CKError>) -> Results? {
        switch answer {
        case .success(let results): return results
        case .failure(let error):
            failure = error
            return nil
        }
    }

    /// The result of a change without an answer.
    private func missing<Value>() -> Result<Value, CKError> {
        .failure(failure ?? CKError(.serverResponseLost, "The answer does not contain the result of this change."))
    }

    /// Notes that a change failed. Returns whether the application must handle the error, so that the change is no longer
    /// pending. An error of the whole request says nothing about the change, which stays pending.
    private mutating func note(_ error: CKError, of item: AnyHashable) -> Bool {
        errors[item] = error
        return failure == nil && !error.isHandledBySyncEngine
    }
}
