import AMQPClient
import AsyncHTTPClient
import CloudKitWire
import CommandLineSession
import Foundation
import NIOCore
import NIOHTTP1

/// Administers a broker over RabbitMQ's management HTTP API (rabbitmq.com, "HTTP API") with the operator's AMQP
/// credentials, because users cannot be created over AMQP.
///
/// Every request is idempotent. A request is therefore retried if its response has a 5xx status, or if the connection
/// is closed before the response arrives. For example, a handler in RabbitMQ 3.10 crashes if a client's connection ends
/// while the handler is listing or closing it.
struct BrokerAdministration: Sendable {
    private static let maxAnswerBytes = 64 << 20
    private static let limit = TimeAmount.seconds(30)
    /// The maximum number of times that a request is sent.
    private static let maxAttempts = 5

    private let client: HTTPClient
    private let url: String
    private let authorization: String
    /// The virtual host, as a path component.
    private let vhost: String
    /// The pause before the second attempt. It doubles after each attempt.
    private let firstPause: Duration

    /// Calls `body` with an instance, and closes the instance's connections afterwards.
    ///
    /// - Parameters:
    ///   - url: the management plugin's URL, such as `http://127.0.0.1:15672`. Credentials in it take precedence over
    ///     those of `amqp`.
    ///   - amqp: the virtual host and the operator's credentials.
    ///   - firstPause: the pause before a request is sent a second time; it doubles after each attempt.
    ///   - body: called with the instance, which must not be used afterwards.
    /// - Throws: ``ProvisionError`` for an invalid URL, and any error that `body` throws.
    static func with<Result>(
        _ url: String, _ amqp: AMQPConfiguration, firstPause: Duration = .milliseconds(200),
        _ body: (BrokerAdministration) async throws -> Result
    ) async throws -> Result {
        guard var parts = URLComponents(string: url), let scheme = parts.scheme, ["http", "https"].contains(scheme),
            parts.host?.isEmpty == false
        else { throw ProvisionError("the management URL must have the form http://HOST:PORT") }
        let credentials = "\(parts.user ?? amqp.user):\(parts.password ?? amqp.password)"
        (parts.user, parts.password) = (nil, nil)
        while parts.path.hasSuffix("/") { parts.path.removeLast() }
        let base = parts.string ?? url
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(5)
        configuration.httpVersion = .http1Only
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            try await body(
                BrokerAdministration(
                    client: client, url: base,
                    authorization: "Basic \(Data(credentials.utf8).base64EncodedString())",
                    vhost: Self.part(amqp.virtualHost), firstPause: firstPause))
        }
    }

    /// Returns the object at an API path under the virtual host (`queues/VHOST/…`); nil if it does not exist.
    ///
    /// - Throws: ``ProvisionError``.
    func get(_ kind: String, _ names: [String], query: String = "") async throws -> JSONValue? {
        let answer = try await send(.GET, path(kind, names) + query, nil)
        // A plain `nil` would be JSONValue's null.
        return answer.status == 404 ? JSONValue?.none : answer.body
    }

    /// Creates or replaces an object in the virtual host.
    ///
    /// - Throws: ``ProvisionError``.
    func put(_ kind: String, _ names: [String], _ body: JSONValue) async throws {
        guard try await send(.PUT, path(kind, names), body).status != 404 else {
            throw ProvisionError("the broker has no virtual host with this name")
        }
    }

    /// Deletes an object from the virtual host, if it exists.
    ///
    /// - Throws: ``ProvisionError``.
    func delete(_ kind: String, _ names: [String]) async throws { _ = try await send(.DELETE, path(kind, names), nil) }

    /// Returns a broker user; nil if it does not exist.
    ///
    /// - Throws: ``ProvisionError``.
    func user(_ name: String) async throws -> JSONValue? {
        let answer = try await send(.GET, "users/\(Self.part(name))", nil)
        // A plain `nil` would be JSONValue's null.
        return answer.status == 404 ? JSONValue?.none : answer.body
    }

    /// Creates a user without rights, or changes its password.
    ///
    /// - Throws: ``ProvisionError``.
    func putUser(_ name: String, _ body: JSONValue) async throws {
        _ = try await send(.PUT, "users/\(Self.part(name))", body)
    }

    /// Sets a limit for a user.
    ///
    /// - Throws: ``ProvisionError``.
    func limit(_ user: String, _ what: String, to value: Int) async throws {
        _ = try await send(.PUT, "user-limits/\(Self.part(user))/\(what)", ["value": .int(Int64(value))])
    }

    /// Deletes a user, if it exists.
    ///
    /// - Throws: ``ProvisionError``.
    func deleteUser(_ name: String) async throws { _ = try await send(.DELETE, "users/\(Self.part(name))", nil) }

    /// Closes a user's connections, because their channels cache the user's rights for a while.
    ///
    /// - Throws: ``ProvisionError``.
    func disconnect(_ user: String) async throws {
        _ = try await send(.DELETE, "connections/username/\(Self.part(user))", nil)
    }

    private func path(_ kind: String, _ names: [String]) -> String {
        ([kind, vhost] + names.map(Self.part)).joined(separator: "/")
    }

    private static func part(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
    }

    /// Sends a request up to ``maxAttempts`` times and returns the response, whose status is 2xx or 404.
    private func send(_ method: HTTPMethod, _ path: String, _ body: JSONValue?) async throws -> Answer {
        let request = "\(method) /api/\(path)"
        var answer = try await attempt(method, path, body)
        var pause = firstPause
        for _ in 1..<Self.maxAttempts where answer.isTransientFailure {
            try await Task.sleep(for: pause)
            pause *= 2
            answer = try await attempt(method, path, body)
        }
        guard let status = answer.status else {
            throw ProvisionError(
                "the broker's management API at \(url) closed the connection before it responded to \(request)")
        }
        switch status {
        case 200...299, 404: return answer
        case 401, 403:
            throw ProvisionError(
                "the broker's management API at \(url) refused the operator's credentials: it responded to \(request) "
                    + "with \(status)")
        default:
            let reason = (answer.body["reason"] ?? answer.body["error"]).map { ": \($0.string ?? $0.text)" } ?? ""
            throw ProvisionError(
                "the broker's management API at \(url) responded to \(request) with \(status)\(reason)")
        }
    }

    private struct Answer {
        /// The HTTP status; nil if the connection was closed before a response arrived.
        var status: Int?
        var body = JSONValue.null

        var isTransientFailure: Bool { status.map { $0 >= 500 } ?? true }
    }

    /// Sends a request once.
    private func attempt(_ method: HTTPMethod, _ path: String, _ body: JSONValue?) async throws -> Answer {
        var request = HTTPClientRequest(url: "\(url)/api/\(path)")
        request.method = method
        request.headers.add(name: "authorization", value: authorization)
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body.encoded()))
        }
        do {
            let response = try await client.execute(request, timeout: Self.limit)
            let text = Array(try await response.body.collect(upTo: Self.maxAnswerBytes).readableBytesView)
            return Answer(status: Int(response.status.code), body: (try? JSONValue(parsing: text)) ?? .null)
        } catch  where Self.isClosedConnection(error) {
            return Answer()
        } catch {
            throw ProvisionError(
                "the broker's management API at \(url) cannot be reached (\(method) /api/\(path)): \(error)")
        }
    }

    private static func isClosedConnection(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .remoteConnectionClosed
        case let error as HTTPParserError: error == .invalidEOFState
        case let error as IOError: [ECONNRESET, EPIPE].contains(error.errnoCode)
        default: false
        }
    }
}
