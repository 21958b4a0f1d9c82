import CloudKitWire
import Crypto
import Foundation
import ServiceMessages
import TestSupport

/// A client of web services, with its credentials and the address of the gateway.
struct GatewayClient: Sendable {
    /// The credentials that are sent with each request.
    enum Credentials: Sendable {
        case none
        /// An API token only.
        case token(String)
        /// An API token, and the web auth token of a user who has signed in.
        case user(String, webAuthToken: String)
        /// A server-to-server key.
        case key(id: String, P256.Signing.PrivateKey)
    }

    let stack: ServiceStack
    var credentials: Credentials
    /// The record name of the acting user; empty if there is none.
    var userName = ""
    var environment = "development"

    /// Returns a client with an API token and without a user.
    static func world(_ stack: ServiceStack, origins: [String] = []) async throws -> GatewayClient {
        let reply = try await stack.operator.ask(
            .apiTokensCreate,
            [
                "container": .string(stack.container), "environment": "development", "name": "test",
                "origins": .array(origins.map { .string($0) }),
            ])
        guard let token = reply["token"]?.string else { throw TestFailure("no API token: \(reply)") }
        return GatewayClient(stack: stack, credentials: .token(token))
    }

    /// Returns a client for a new user who has signed in.
    static func user(
        _ stack: ServiceStack, email: String = "\(UUID().uuidString.lowercased())@example.org"
    ) async throws -> GatewayClient {
        let world = try await world(stack)
        guard case .token(let apiToken) = world.credentials else { throw TestFailure("no API token") }
        let made = try await stack.operator.ask(.usersCreate, ["email": .string(email), "givenName": "Ada"])
        guard made.status == 200 else { throw TestFailure("no user: \(made)") }
        let reply = try await stack.operator.ask(
            .usersToken,
            [
                "email": .string(email), "container": .string(stack.container), "environment": "development",
                "staysSignedIn": true,
            ])
        guard let token = reply["webAuthToken"]?.string, let name = reply["userRecordName"]?.string else {
            throw TestFailure("no web auth token: \(reply)")
        }
        return GatewayClient(stack: stack, credentials: .user(apiToken, webAuthToken: token), userName: name)
    }

    /// Returns a client with a new server-to-server key.
    static func key(_ stack: ServiceStack) async throws -> GatewayClient {
        let key = P256.Signing.PrivateKey()
        let reply = try await stack.operator.ask(
            .serverKeysAdd,
            [
                "container": .string(stack.container), "environment": "development", "name": "test",
                "publicKey": .string(key.publicKey.pemRepresentation),
            ])
        let name = reply["userRecordName"]?.string ?? ""
        guard let id = (reply["keyID"] ?? reply["id"])?.string else { throw TestFailure("no key: \(reply)") }
        return GatewayClient(stack: stack, credentials: .key(id: id, key), userName: name)
    }

    /// Returns the path of an endpoint. It contains a database unless `database` is nil.
    func path(_ endpoint: String, in database: String?) -> String {
        let module = database == nil ? "device" : "database"
        return (["", module, "1", stack.container, environment] + (database.map { [$0] } ?? []) + [endpoint])
            .joined(separator: "/")
    }

    /// Sends a request to an endpoint of a database.
    func ask(
        _ endpoint: String, in database: String? = "private", method: String = "POST", _ body: String = "{}",
        headers: [String: String] = [:]
    ) async throws -> AssetClient.Response {
        try await send(method, path(endpoint, in: database), Array(body.utf8), headers: headers)
    }

    /// Sends a request to a path.
    func send(
        _ method: String, _ path: String, _ body: [UInt8] = [], headers: [String: String] = [:]
    ) async throws -> AssetClient.Response {
        var (target, headers) = (path, headers)
        let mark = path.contains("?") ? "&" : "?"
        let body = method == "GET" || method == "OPTIONS" ? [] : body
        switch credentials {
        case .none: break
        case .token(let token): target += "\(mark)ckAPIToken=\(token)"
        case .user(let token, let webAuthToken): target += "\(mark)ckAPIToken=\(token)&ckWebAuthToken=\(webAuthToken)"
        case .key(let id, let key):
            let date = Date.now.formatted(.iso8601)
            let hash = Data(SHA256.hash(data: body)).base64EncodedString()
            let signature = try key.signature(for: Data("\(date):\(hash):\(target)".utf8))
            headers["X-Apple-CloudKit-Request-KeyID"] = id
            headers["X-Apple-CloudKit-Request-ISO8601Date"] = date
            headers["X-Apple-CloudKit-Request-SignatureV1"] = signature.derRepresentation.base64EncodedString()
        }
        headers["Content-Type"] = headers["Content-Type"] ?? "text/plain"
        let url = stack.gatewayURL + target
        return body.isEmpty
            ? try await AssetClient.get(url, method: method, headers: headers)
            : try await AssetClient.upload(body, to: url, method: method, headers: headers)
    }
}

extension ServiceStack {
    /// A client for operators' requests.
    var `operator`: TestClient { client() }
}

extension AssetClient.Response {
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}
