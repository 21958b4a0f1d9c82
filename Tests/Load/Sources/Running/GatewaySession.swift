import AsyncHTTPClient
import CloudKitModel
import CommandLineSession
import FoundationEssentials
import NIOCore
import NIOHTTP1
import ServiceMessages

/// A gateway and the credentials for it.
struct GatewayPlace: Sendable {
    /// The URL, `http://host:port`.
    var url: String
    /// The container, environment and database.
    var scope: RequestScope
    /// The API token of the container.
    var apiToken: String
    /// The web auth token of the user; nil for none.
    var webAuthToken: String?
}

/// Sends requests to services through a gateway, over HTTP.
struct GatewaySession: Requester {
    private static let maxAnswerBytes = 64 << 20

    private let client: HTTPClient
    private let place: GatewayPlace
    private let policy: RetryPolicy

    /// Passes a session to `body` and closes its connections afterwards.
    ///
    /// - Parameter connections: the maximum number of requests in progress.
    static func with<Result>(
        _ place: GatewayPlace, connections: Int, policy: RetryPolicy = RetryPolicy(),
        _ body: (GatewaySession) async throws -> Result
    ) async throws -> Result {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: HTTPClient.Configuration.Timeout(connect: .seconds(5)))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        configuration.httpVersion = .http1Only
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            try await body(GatewaySession(client: client, place: place, policy: policy))
        }
    }

    func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
        let message = try message(request)
        return try await policy.answer(within: limit) { attempts, remaining throws(RequestFailure) in
            let time = Int64(min(policy.attemptLimit, remaining).seconds * 1000)
            do {
                let response = try await client.execute(message, timeout: .milliseconds(time))
                let body = try await response.body.collect(upTo: Self.maxAnswerBytes)
                return .answered(
                    Answer(
                        status: Int(response.status.code), body: Array(body.readableBytesView), attempts: attempts))
            } catch {
                return .silence(reason: "\(error)")
            }
        }
    }

    /// Creates a request. Repeats of it have the same idempotency key, so that a write takes effect only once.
    private func message(_ request: Request) throws(RequestFailure) -> HTTPClientRequest {
        let scope = place.scope
        let path = [scope.container, scope.environment.rawValue, scope.database.wireName]
        let operation = request.operation.rawValue.replacing(".", with: "/")
        let credentials = [("ckAPIToken", place.apiToken)] + (place.webAuthToken.map { [("ckWebAuthToken", $0)] } ?? [])
        let query = credentials.map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&")
        var message = HTTPClientRequest(
            url: "\(place.url)/database/1/\(path.joined(separator: "/"))/\(operation)?\(query)")
        message.method = .POST
        message.headers.add(name: "content-type", value: request.contentType)
        message.headers.add(name: "idempotency-key", value: request.messageID)
        message.body = .bytes(ByteBuffer(bytes: request.body))
        return message
    }

    private static func encoded(_ value: String) -> String {
        value.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
