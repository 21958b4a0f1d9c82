internal import CloudKitWire

/// An operation that fetches records by their IDs.
open class CKFetchRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The records.
    open var recordIDs: [CKRecord.ID]?
    /// The fields to fetch; nil for all, empty for none.
    open var desiredKeys: [CKRecord.FieldKey]?

    /// Called with the progress of a record, at least once.
    open var perRecordProgressBlock: ((CKRecord.ID, Double) -> Void)?
    /// Called with each record.
    open var perRecordResultBlock: ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
    /// Called at the end. Errors of single records are not errors of the operation.
    open var fetchRecordsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called with each record.
    @available(macOS, introduced: 10.10, deprecated: 12.0, message: "Use perRecordResultBlock instead")
    open var perRecordCompletionBlock: ((CKRecord?, CKRecord.ID?, (any Error)?) -> Void)?
    /// Called at the end with the records that were fetched.
    @available(macOS, introduced: 10.10, deprecated: 12.0, message: "Use fetchRecordsResultBlock instead")
    open var fetchRecordsCompletionBlock: (([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)?

    private let outcome = Locked(Outcome())
    private let fetchesCurrentUser: Bool

    private struct Outcome {
        var records: [CKRecord.ID: CKRecord] = [:]
        var errors = PartialErrors()
    }

    /// Creates an operation without IDs.
    public override init() {
        fetchesCurrentUser = false
        super.init()
    }

    private init(fetchingCurrentUser: Bool) {
        fetchesCurrentUser = fetchingCurrentUser
        super.init()
    }

    /// Creates an operation.
    public convenience init(recordIDs: [CKRecord.ID]) {
        self.init()
        self.recordIDs = recordIDs
    }

    /// Returns an operation that fetches the record of the current user.
    open class func fetchCurrentUserRecordOperation() -> Self {
        guard let operation = CKFetchRecordsOperation(fetchingCurrentUser: true) as? Self else {
            preconditionFailure("Call fetchCurrentUserRecordOperation of CKFetchRecordsOperation itself")
        }
        return operation
    }

    override func perform() async throws(CKError) {
        let database = try webDatabase()
        var ids = (recordIDs ?? []).unique
        if fetchesCurrentUser { ids = [CKRecord.ID(recordName: try await database.currentUser())] }
        // The server knows the user's record by the user's own name only.
        let isNamed = ids.contains { $0.recordName == CKCurrentUserDefaultName }
        let user = isNamed ? try await database.currentUser() : CKCurrentUserDefaultName
        for zoneID in ids.map(\.zoneID).unique {
            for part in ids.filter({ $0.zoneID == zoneID }).chunks(of: WebDatabase.maxLookups) {
                try checkCancellation()
                let names = part.map { $0.recordName == CKCurrentUserDefaultName ? user : $0.recordName }
                for (id, result) in zip(part, try await fetch(names, in: zoneID, database)) { report(id, result) }
                await callbacks.drain()
            }
        }
    }

    private func fetch(
        _ names: [String], in zoneID: CKRecordZone.ID, _ database: WebDatabase
    ) async throws(CKError) -> [ItemResult<CKRecord>] {
        let items: [JSONValue]
        do throws(CKError) {
            items = try await database.lookup(names, in: zoneID, desiredKeys: desiredKeys)
        } catch {
            guard error.concernsZone else { throw error }
            return names.map { _ in .failure(error) }
        }
        return await database.withFiles(
            items.map { item in Result { () throws(CKError) in try RecordCoding.record(from: item, in: database) } })
    }

    private func report(_ id: CKRecord.ID, _ result: ItemResult<CKRecord>) {
        outcome.withLock { outcome in
            switch result {
            case .success(let record): outcome.records[id] = record
            case .failure(let error): outcome.errors.add(error, of: id)
            }
        }
        callbacks.post { [self] in
            if case .success = result { perRecordProgressBlock?(id, 1) }
            perRecordResultBlock?(id, result.erased)
            perRecordCompletionBlock?(try? result.get(), id, result.error)
        }
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        let outcome = outcome.copy
        fetchRecordsCompletionBlock?(
            outcome.records, error ?? outcome.errors.failure("Failed to fetch some records"))
        fetchRecordsResultBlock?(Result(failure: error))
        perRecordProgressBlock = nil
        perRecordResultBlock = nil
        fetchRecordsResultBlock = nil
        perRecordCompletionBlock = nil
        fetchRecordsCompletionBlock = nil
    }
}
