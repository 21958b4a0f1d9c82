/// An operation that marked notifications as read. No gateway keeps them: the operation fails with
/// ``CKError/Code/serverRejectedRequest``.
@available(
    macOS, introduced: 10.10, deprecated: 10.13,
    message: "Use CKDatabaseSubscription, CKFetchDatabaseChangesOperation and CKFetchRecordZoneChangesOperation"
)
open class CKMarkNotificationsReadOperation: CKOperation, @unchecked Sendable {
    /// The notifications.
    open var notificationIDs: [CKNotification.ID]
    /// Called at the end.
    open var markNotificationsReadCompletionBlock: (([CKNotification.ID]?, (any Error)?) -> Void)?

    /// Creates an operation without notifications.
    public override init() {
        notificationIDs = []
        super.init()
    }

    /// Creates an operation.
    public convenience init(notificationIDsToMarkRead notificationIDs: [CKNotification.ID]) {
        self.init()
        self.notificationIDs = notificationIDs
    }

    override func perform() async throws(CKError) {
        throw .notKept("Past notifications are not kept, and cannot be marked as read.")
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        markNotificationsReadCompletionBlock?(nil, error)
        markNotificationsReadCompletionBlock = nil
    }
}
