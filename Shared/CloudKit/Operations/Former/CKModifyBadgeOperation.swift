/// An operation that set the number on the app's icon. No gateway sets it: the operation fails with
/// ``CKError/Code/serverRejectedRequest``.
@available(macOS, introduced: 10.10, deprecated: 10.13, message: "No longer supported")
open class CKModifyBadgeOperation: CKOperation, @unchecked Sendable {
    /// The number.
    open var badgeValue: Int
    /// Called at the end.
    open var modifyBadgeCompletionBlock: (((any Error)?) -> Void)?

    /// Creates an operation that sets 0.
    public override init() {
        badgeValue = 0
        super.init()
    }

    /// Creates an operation.
    public convenience init(badgeValue: Int) {
        self.init()
        self.badgeValue = badgeValue
    }

    override func perform() async throws(CKError) { throw .notKept("Badges cannot be set through a gateway.") }

    override func finish(_ error: CKError?) {
        super.finish(error)
        modifyBadgeCompletionBlock?(error)
        modifyBadgeCompletionBlock = nil
    }
}
