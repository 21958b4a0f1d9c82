/// An operation that finds the users among the contacts of the device. Linux has no contacts, so that it finds nobody.
@available(macOS, introduced: 10.12, deprecated: 14.0, message: "No longer supported")
open class CKDiscoverAllUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    /// Called with each user who was found.
    open var userIdentityDiscoveredBlock: ((CKUserIdentity) -> Void)?
    /// Called at the end.
    open var discoverAllUserIdentitiesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called at the end.
    open var discoverAllUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

    /// Creates an operation.
    public override init() { super.init() }

    override func finish(_ error: CKError?) {
        super.finish(error)
        discoverAllUserIdentitiesCompletionBlock?(error)
        discoverAllUserIdentitiesResultBlock?(Result(failure: error))
        userIdentityDiscoveredBlock = nil
        discoverAllUserIdentitiesResultBlock = nil
        discoverAllUserIdentitiesCompletionBlock = nil
    }
}
