internal import CloudKitModel

/// An operation that finds users by what others know of them. Only users who allow it are found.
@available(macOS, introduced: 10.12, deprecated: 14.0, message: "No longer supported")
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    /// What is known of the users.
    open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]

    /// Called with each user who was found.
    open var userIdentityDiscoveredBlock: ((CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)?
    /// Called at the end.
    open var discoverUserIdentitiesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called at the end.
    open var discoverUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

    /// Creates an operation that finds nobody.
    public override init() {
        userIdentityLookupInfos = []
        super.init()
    }

    /// Creates an operation.
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }

    override func perform() async throws(CKError) {
        let directory = UserDirectory(try webDatabase(.public, of: operationContainer))
        for part in userIdentityLookupInfos.unique.chunks(of: WebDatabase.maxPersons) {
            try checkCancellation()
            let found = try await directory.identities(of: part)
            for info in part {
                guard let identity = found[info] else { continue }
                callbacks.post { self.userIdentityDiscoveredBlock?(identity, info) }
            }
            await callbacks.drain()
        }
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        discoverUserIdentitiesCompletionBlock?(error)
        discoverUserIdentitiesResultBlock?(Result(failure: error))
        userIdentityDiscoveredBlock = nil
        discoverUserIdentitiesResultBlock = nil
        discoverUserIdentitiesCompletionBlock = nil
    }
}
