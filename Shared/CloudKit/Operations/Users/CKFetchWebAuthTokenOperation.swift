/// An operation that fetches a web auth token, with which a server or a web page acts as the user.
open class CKFetchWebAuthTokenOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The API token with which the web auth token is used. It must be the one of the user's session.
    open var apiToken: String?

    /// Called at the end with the token.
    open var fetchWebAuthTokenResultBlock: ((_ operationResult: Result<String, any Error>) -> Void)?
    /// Called at the end with the token.
    @available(macOS, introduced: 10.11, deprecated: 12.0, message: "Use fetchWebAuthTokenResultBlock instead")
    open var fetchWebAuthTokenCompletionBlock: ((String?, (any Error)?) -> Void)?

    private let token = Locked<String?>(nil)

    /// Creates an operation without an API token.
    public override init() { super.init() }

    /// Creates an operation.
    public convenience init(apiToken APIToken: String) {
        self.init()
        apiToken = APIToken
    }

    override func perform() async throws(CKError) {
        let container = database?.container ?? operationContainer
        let connection = try container.webConnection()
        guard case .apiToken(let ofSession) = connection.place.proof, let session = connection.session else {
            throw Self.noSession
        }
        guard apiToken == nil || apiToken == ofSession else {
            throw CKError(
                .invalidArguments, "The web auth token of the user belongs to another API token than the given one.")
        }
        // The answer to any request renews the token.
        _ = try await connection.caller()
        guard let token = session.token?.text else { throw Self.noSession }
        self.token.withLock { $0 = token }
    }

    private static var noSession: CKError { CKError(.notAuthenticated, "No user is signed in to the container.") }

    override func finish(_ error: CKError?) {
        super.finish(error)
        let token = token.copy
        fetchWebAuthTokenCompletionBlock?(token, error)
        if let error {
            fetchWebAuthTokenResultBlock?(.failure(error))
        } else if let token {
            fetchWebAuthTokenResultBlock?(.success(token))
        }
        fetchWebAuthTokenResultBlock = nil
        fetchWebAuthTokenCompletionBlock = nil
    }
}
