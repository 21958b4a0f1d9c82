/// An operation that fetched the notifications of the past. No gateway has them: the operation fails with
/// ``CKError/Code/serverRejectedRequest``. ``CKFetchDatabaseChangesOperation`` and ``CKFetchRecordZoneChangesOperation``
/// replaced it.
@available(
    macOS, introduced: 10.10, deprecated: 10.13,
    message: "Use CKDatabaseSubscription, CKFetchDatabaseChangesOperation and CKFetchRecordZoneChangesOperation"
)
open class CKFetchNotificationChangesOperation: CKOperation, @unchecked Sendable {
    /// The token of the last fetch.
    open var previousServerChangeToken: CKServerChangeToken?
    /// The largest number of notifications.
    open var resultsLimit = 0
    /// False.
    open var moreComing: Bool { false }
    /// Not called.
    open var notificationChangedBlock: ((CKNotification) -> Void)?
    /// Called at the end.
    open var fetchNotificationChangesCompletionBlock: ((CKServerChangeToken?, (any Error)?) -> Void)?

    /// Creates an operation.
    public override init() { super.init() }

    /// Creates an operation.
    public convenience init(previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func perform() async throws(CKError) {
        throw .notKept("Past notifications are not kept. Fetch the changes with change tokens.")
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        fetchNotificationChangesCompletionBlock?(nil, error)
        notificationChangedBlock = nil
        fetchNotificationChangesCompletionBlock = nil
    }
}

extension CKError {
    /// The error of an operation that Apple's framework no longer supports either.
    static func notKept(_ reason: String) -> CKError { CKError(.serverRejectedRequest, reason) }
}
