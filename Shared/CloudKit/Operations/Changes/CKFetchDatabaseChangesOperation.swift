internal import CloudKitModel

/// An operation that fetches which zones of a database have changed.
open class CKFetchDatabaseChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The token of the last fetch; nil to fetch all zones.
    open var previousServerChangeToken: CKServerChangeToken?
    /// The largest number of zones in a page; 0 to let the server decide.
    open var resultsLimit = 0
    /// Whether all pages are fetched, or only one.
    open var fetchAllChanges = true

    /// Called with each zone that changed.
    open var recordZoneWithIDChangedBlock: ((CKRecordZone.ID) -> Void)?
    /// Called with each zone that was deleted.
    open var recordZoneWithIDWasDeletedBlock: ((CKRecordZone.ID) -> Void)?
    /// Called with each zone whose data the user deleted. If it is nil, ``recordZoneWithIDWasDeletedBlock`` is called.
    open var recordZoneWithIDWasPurgedBlock: ((CKRecordZone.ID) -> Void)?
    /// Called with each zone that was deleted because the user reset the encrypted data. If it is nil,
    /// ``recordZoneWithIDWasDeletedBlock`` is called.
    open var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock: ((CKRecordZone.ID) -> Void)?
    /// Called with the token after each page.
    open var changeTokenUpdatedBlock: ((CKServerChangeToken) -> Void)?
    /// Called at the end with the token, and whether there are more changes.
    open var fetchDatabaseChangesResultBlock:
        (
            (_ operationResult: Result<(serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error>) -> Void
        )?
    /// Called at the end with the token, and whether there are more changes.
    @available(macOS, introduced: 10.12, deprecated: 12.0, message: "Use fetchDatabaseChangesResultBlock instead")
    open var fetchDatabaseChangesCompletionBlock: ((CKServerChangeToken?, Bool, (any Error)?) -> Void)?

    private let reached = Locked<(token: CKServerChangeToken, moreComing: Bool)?>(nil)

    /// Creates an operation that fetches all zones.
    public override init() { super.init() }

    /// Creates an operation.
    public convenience init(previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func perform() async throws(CKError) {
        let database = try webDatabase()
        var token = previousServerChangeToken
        var moreComing = true
        while moreComing {
            try checkCancellation()
            let page = try await database.databaseChanges(since: token, resultsLimit: resultsLimit)
            guard !page.moreComing || page.token != token else {
                throw .unexpectedAnswer("the feed of the database does not advance")
            }
            for change in page.changes { report(change) }
            callbacks.post { self.changeTokenUpdatedBlock?(page.token) }
            reached.withLock { $0 = (page.token, page.moreComing) }
            await callbacks.drain()
            token = page.token
            moreComing = page.moreComing && fetchAllChanges
        }
    }

    private func report(_ change: DatabasePage.Change) {
        callbacks.post { [self] in
            switch change {
            case .changed(let id): recordZoneWithIDChangedBlock?(id)
            case .deleted(let id, .deleted): recordZoneWithIDWasDeletedBlock?(id)
            case .deleted(let id, .purged):
                (recordZoneWithIDWasPurgedBlock ?? recordZoneWithIDWasDeletedBlock)?(id)
            case .deleted(let id, .encryptedDataReset):
                (recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock ?? recordZoneWithIDWasDeletedBlock)?(id)
            }
        }
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        let reached = reached.copy
        fetchDatabaseChangesCompletionBlock?(reached?.token, reached?.moreComing ?? false, error)
        if let error {
            fetchDatabaseChangesResultBlock?(.failure(error))
        } else if let reached {
            fetchDatabaseChangesResultBlock?(
                .success((serverChangeToken: reached.token, moreComing: reached.moreComing)))
        }
        recordZoneWithIDChangedBlock = nil
        recordZoneWithIDWasDeletedBlock = nil
        recordZoneWithIDWasPurgedBlock = nil
        recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = nil
        changeTokenUpdatedBlock = nil
        fetchDatabaseChangesResultBlock = nil
        fetchDatabaseChangesCompletionBlock = nil
    }
}
