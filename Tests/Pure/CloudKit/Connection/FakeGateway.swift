import AsyncHTTPClient
import Foundation
import Synchronization
import TestSupport

@testable import CloudKit

/// A gateway that sends the answers that a test chooses, and the connection to it.
final class FakeGateway: Sendable {
    private let delays = Mutex<[Duration]>([])
    private let server: FakeHTTPServer

    static let container = "iCloud.org.example.Notes"

    /// Creates a gateway.
    ///
    /// - Parameter answer: returns the answer to a request; also gets the number of earlier requests.
    init(_ answer: @escaping @Sendable (FakeHTTPServer.Request, Int) -> FakeHTTPServer.Response) {
        let log = Log()
        server = FakeHTTPServer { answer($0, log.add($0)) }
        self.log = log
    }

    private let log: Log

    private final class Log: Sendable {
        private let requests = Mutex<[FakeHTTPServer.Request]>([])
        var all: [FakeHTTPServer.Request] { requests.withLock { $0 } }

        func add(_ request: FakeHTTPServer.Request) -> Int {
            requests.withLock {
                $0.append(request)
                return $0.count - 1
            }
        }
    }

    /// The address.
    var url: String { server.url }
    /// The requests so far.
    var requests: [FakeHTTPServer.Request] { log.all }
    /// How long the connection waited before its attempts.
    var pauses: [Duration] { delays.withLock { $0 } }

    /// Returns a connection to the gateway that does not wait between attempts.
    func connection(
        proof: ConnectionPlace.Proof = .apiToken("t1"), session: UserSession? = nil
    ) throws -> WebConnection {
        var policy = RetryPolicy()
        policy.jitter = { 0 }
        policy.sleep = { [self] delay in delays.withLock { $0.append(delay) } }
        return try WebConnection(
            ConnectionPlace(url: url, container: Self.container, environment: "development", proof: proof),
            session: session, client: try HTTPClients.client(trusting: nil), policy: policy, clientID: "here")
    }

    /// Returns a session in memory.
    ///
    /// - Parameter user: the name of the user; nil if it is not yet known.
    static func session(
        _ token: String, user: String? = nil, changed: @escaping @Sendable () -> Void = {}
    ) -> UserSession {
        let session = UserSession(.memory(token), container: container, accountChanged: changed)
        if let user, let token = session.token { session.note(user: user, of: token) }
        return session
    }

    /// An answer with JSON text.
    static func json(
        _ text: String, status: Int = 200, headers: [String: String] = [:]
    ) -> FakeHTTPServer.Response {
        FakeHTTPServer.Response(status: status, headers: headers, body: Array(text.utf8))
    }
}
