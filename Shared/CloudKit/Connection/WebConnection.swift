internal import AsyncHTTPClient
internal import CloudKitModel
internal import CloudKitWire
internal import NIOCore
internal import NIOHTTP1

/// A container's environment at a gateway. Sends requests, and keeps the session of the user.
final class WebConnection: Sendable {
    /// The largest answer that is read, in bytes.
    static let maxAnswerBytes = 64 << 20

    /// The container and the gateway.
    let place: ConnectionPlace
    /// The session of the user; nil for a server-to-server key, and if no user can be signed in.
    let session: UserSession?
    /// The name of this process, so that it does not receive notifications of its own changes.
    let clientID: String
    let client: HTTPClient
    private let key: ServerKey?
    let policy: RetryPolicy

    /// Creates a connection. It connects with the first request.
    ///
    /// - Throws: ``CKError/Code/notAuthenticated`` if the server-to-server key is invalid.
    init(
        _ place: ConnectionPlace, session: UserSession?, client: HTTPClient, policy: RetryPolicy = RetryPolicy(),
        clientID: String = UUID().uuidString
    ) throws(CKError) {
        self.place = place
        self.session = session
        self.client = client
        self.policy = policy
        self.clientID = clientID
        key =
            switch place.proof {
            case .apiToken: nil
            case .key(let id, let pem): try ServerKey(id: id, pem: pem)
            }
    }

    /// Sends a request and returns the body of its answer.
    ///
    /// The answer of an atomic request that failed is returned too if it contains an error for each item.
    ///
    /// - Parameters:
    ///   - patience: which errors are not reported, but lead to a repeat of the request.
    ///   - timeout: how long to wait for the answer to one attempt.
    /// - Throws: the server's error; a network error; ``CKError/Code/operationCancelled`` if the task was cancelled;
    ///   ``CKError/Code/notAuthenticated`` if the request needs a user and the session has ended.
    func send(
        _ request: WebRequest, patience: RetryPolicy.Patience = .brief, timeout: Duration = .seconds(60)
    ) async throws(CKError) -> [UInt8] {
        if session?.account == .user(nil), !request.action.hasPrefix("users/") { await nameUser(timeout: timeout) }
        return try await repeating(patience) { () async throws(Attempt) in
            try await self.attempt(request, timeout: timeout)
        }
    }

    /// Calls `attempt` until it succeeds, or fails with an error that is reported.
    func repeating<Value: Sendable>(
        _ patience: RetryPolicy.Patience, _ attempt: () async throws(Attempt) -> Value
    ) async throws(CKError) -> Value {
        let start = ContinuousClock.now
        var attempts = 0
        while true {
            attempts += 1
            do throws(Attempt) {
                return try await attempt()
            } catch {
                let elapsed = ContinuousClock.now - start
                guard
                    let delay = policy.delay(
                        after: attempts, error.error, isLost: error.isLost, elapsed: elapsed, patience: patience)
                else { throw error.error }
                try await policy.pause(delay)
            }
        }
    }

    /// A failed attempt.
    struct Attempt: Error {
        var error: CKError
        /// Whether the server did not answer.
        var isLost = false
    }

    /// Sends a request once. If the session in the file is another one by the time that the server refuses the first,
    /// it is sent again.
    private func attempt(_ request: WebRequest, timeout: Duration) async throws(Attempt) -> [UInt8] {
        let needsUser = request.database == .private || request.database == .shared
        while true {
            let token = session?.token
            if needsUser, key == nil, token == nil { throw Attempt(error: signedOut) }
            let answer = try await exchange(message(request, token), request, timeout)
            if let token, let newer = answer.newToken { session?.adopt(newer, after: token) }
            if answer.status == 200 { return answer.body }
            let error = CKError.answer(
                status: answer.status, body: answer.body, retryAfter: answer.retryAfter, requestID: answer.requestID)
            if error.code == .batchRequestFailed, (try? JSONValue(parsing: answer.body))?["records"] != nil {
                return answer.body
            }
            if answer.status == 421, let token, session?.refuse(token) == true { continue }
            throw Attempt(error: error)
        }
    }

    private struct Answer {
        var status: Int
        var body: [UInt8]
        var newToken: String?
        var retryAfter: String?
        var requestID: String?
    }

    private func exchange(
        _ message: HTTPClientRequest, _ request: WebRequest, _ timeout: Duration
    ) async throws(Attempt) -> Answer {
        do {
            let response = try await client.execute(message, timeout: TimeAmount(timeout))
            let body = try await response.body.collect(upTo: Self.maxAnswerBytes)
            let headers = response.headers
            return Answer(
                status: Int(response.status.code), body: Array(body.readableBytesView),
                newToken: headers.first(name: "x-apple-cloudkit-web-auth-token"),
                retryAfter: headers.first(name: "retry-after"),
                requestID: headers.first(name: "x-apple-request-uuid"))
        } catch is NIOTooManyBytesError {
            throw Attempt(error: .unexpectedAnswer("it is larger than \(Self.maxAnswerBytes) bytes"))
        } catch {
            let fault = TransportFault(error)
            throw Attempt(error: fault.error(url: place.url, isWrite: request.isWrite), isLost: fault.isLost)
        }
    }

    private func message(_ request: WebRequest, _ token: UserSession.Token?) throws(Attempt) -> HTTPClientRequest {
        var query = "clientId=\(clientID)"
        if case .apiToken(let apiToken) = place.proof { query += "&ckAPIToken=\(PercentEncoding.text(apiToken))" }
        if let token { query += "&ckWebAuthToken=\(PercentEncoding.text(token.text))" }
        let target = "\(request.path(at: place))?\(query)"
        var message = HTTPClientRequest(url: place.url + target)
        message.method = .POST
        message.headers.add(name: "content-type", value: "application/json; charset=utf-8")
        message.headers.add(name: "idempotency-key", value: request.idempotencyKey)
        if let key {
            do throws(CKError) {
                let headers = try key.headers(target: target, body: request.body, at: Date())
                for (name, value) in headers { message.headers.add(name: name, value: value) }
            } catch {
                throw Attempt(error: error)
            }
        }
        message.body = .bytes(ByteBuffer(bytes: request.body))
        return message
    }

    /// The error of requests that need a user.
    private var signedOut: CKError {
        CKError(
            .notAuthenticated,
            "No user is signed in to the container \(place.container), or the session has ended. Store a new web auth token in the client file, or set ZONDA_WEB_AUTH_TOKEN."
        )
    }
}

extension WebConnection {
    /// Asks the server who the user of the session is.
    ///
    /// - Throws: as ``send(_:patience:timeout:)``.
    func caller(timeout: Duration = .seconds(60)) async throws(CKError) -> String {
        let token = session?.token
        let body = try await send(WebRequest("users/caller", in: .public), timeout: timeout)
        guard let name = (try? JSONValue(parsing: body))?["userRecordName"]?.string else {
            throw .unexpectedAnswer("it does not name the user")
        }
        if let token { session?.note(user: name, of: token) }
        return name
    }

    /// Asks the server for the user of the session if it is unknown. Without the name, sessions of the same user and of
    /// another user cannot be distinguished.
    private func nameUser(timeout: Duration) async { _ = try? await caller(timeout: timeout) }
}

extension TimeAmount {
    /// The same time. Times of more than a year are shortened to a year.
    init(_ duration: Duration) {
        let seconds = min(duration.components.seconds, 365 * 24 * 3600)
        self = .seconds(seconds) + .nanoseconds(duration.components.attoseconds / 1_000_000_000)
    }
}
