import AMQPClient
import AsyncHTTPClient
import CloudKitWire
import CommandLineSession
import Foundation
import NIOCore
import NIOHTTP1

/// Administers a broker over RabbitMQ's management HTTP API (rabbitmq.com, "HTTP API"), as the operator whose AMQP address
/// it is: users cannot be made over AMQP.
struct BrokerAdministration: Sendable {
    private static let maxAnswerBytes = 64 << 20
    private static let limit = TimeAmount.seconds(30)

    private let client: HTTPClient
    private let url: String
    private let authorization: String
    /// The virtual host, as a part of a path.
    private let vhost: String

    /// Lends an administration and closes its connections afterwards.
    ///
    /// - Parameters:
    ///   - url: the management plugin's, such as `http://127.0.0.1:15672`. Credentials in it precede those of `amqp`.
    ///   - amqp: whose virtual host it is, and as whom.
    /// - Throws: ``ProvisionError`` for a URL that cannot be read, and what `body` throws.
    static func with<Result>(
        _ url: String, _ amqp: AMQPConfiguration, _ body: (BrokerAdministration) async throws -> Result
    ) async throws -> Result {
        guard var parts = URLComponents(string: url), let scheme = parts.scheme, ["http", "https"].contains(scheme),
            parts.host?.isEmpty == false
        else { throw ProvisionError("the management URL is not http://HOST:PORT") }
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
                    vhost: Self.part(amqp.virtualHost)))
        }
    }

    /// What is at a path of the API below the virtual host (`queues/VHOST/…`); nil when there is nothing.
    ///
    /// - Throws: ``ProvisionError``.
    func get(_ kind: String, _ names: [String], query: String = "") async throws -> JSONValue? {
        let (status, body) = try await send(.GET, path(kind, names) + query, nil)
        return status == 404 ? JSONValue?.none : body
    }

    /// Makes or replaces something of the virtual host.
    ///
    /// - Throws: ``ProvisionError``.
    func put(_ kind: String, _ names: [String], _ body: JSONValue) async throws {
        guard try await send(.PUT, path(kind, names), body).status != 404 else {
            throw ProvisionError("the broker knows no virtual host of that name")
        }
    }

    /// Removes something of the virtual host, which need not be there.
    ///
    /// - Throws: ``ProvisionError``.
    func delete(_ kind: String, _ names: [String]) async throws { _ = try await send(.DELETE, path(kind, names), nil) }

    /// A user of the broker; nil when there is none.
    ///
    /// - Throws: ``ProvisionError``.
    func user(_ name: String) async throws -> JSONValue? {
        let (status, body) = try await send(.GET, "users/\(Self.part(name))", nil)
        return status == 404 ? JSONValue?.none : body
    }

    /// Makes a user without any right, or gives it another password.
    ///
    /// - Throws: ``ProvisionError``.
    func putUser(_ name: String, _ body: JSONValue) async throws {
        _ = try await send(.PUT, "users/\(Self.part(name))", body)
    }

    /// Limits what a user's connections may use.
    ///
    /// - Throws: ``ProvisionError``.
    func limit(_ user: String, _ what: String, to value: Int) async throws {
        _ = try await send(.PUT, "user-limits/\(Self.part(user))/\(what)", ["value": .int(Int64(value))])
    }

    /// Removes a user, which need not be there.
    ///
    /// - Throws: ``ProvisionError``.
    func deleteUser(_ name: String) async throws { _ = try await send(.DELETE, "users/\(Self.part(name))", nil) }

    /// Ends a user's connections: what they were allowed is remembered by their channels for a while.
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

    private func send(
        _ method: HTTPMethod, _ path: String, _ body: JSONValue?
    ) async throws -> (status: Int, body: JSONValue) {
        var request = HTTPClientRequest(url: "\(url)/api/\(path)")
        request.method = method
        request.headers.add(name: "authorization", value: authorization)
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body.encoded()))
        }
        let status: Int
        let text: [UInt8]
        do {
            let response = try await client.execute(request, timeout: Self.limit)
            status = Int(response.status.code)
            text = Array(try await response.body.collect(upTo: Self.maxAnswerBytes).readableBytesView)
        } catch {
            throw ProvisionError("the broker's management at \(url) cannot be reached: \(error)")
        }
        let answer = (try? JSONValue(parsing: text)) ?? .null
        switch status {
        case 200...299, 404: return (status, answer)
        case 401, 403:
            throw ProvisionError("the broker's management at \(url) does not let the operator in (\(status))")
        default:
            let reason = answer["reason"]?.string ?? answer["error"]?.string ?? ""
            throw ProvisionError("the broker's management at \(url) answered \(status) \(reason)")
        }
    }
}
