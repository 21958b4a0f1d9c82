import CloudKitModel
import CloudKitWire
import Foundation
import ServiceMessages
import Synchronization
import TestSupport

@testable import CloudKit

/// A user's client library at a running gateway, configured by a client file.
final class ClientScenario: Sendable {
    let user: GatewayClient
    let stack: ServiceStack
    /// The folder with the client file, the cache and the state of this client.
    let folder: String
    let connections: Connections
    private let accountChanges = Counter()

    private final class Counter: Sendable {
        let count = Mutex(0)
    }

    /// Signs a new user in, and writes the client file.
    static func signedIn(_ stack: ServiceStack) async throws -> ClientScenario {
        try ClientScenario(await GatewayClient.user(stack), stack)
    }

    init(_ user: GatewayClient, _ stack: ServiceStack) throws {
        guard case .user(let apiToken, let webAuthToken) = user.credentials else { throw TestFailure("no user") }
        self.user = user
        self.stack = stack
        folder = FileManager.default.temporaryDirectory.appending(path: "client-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/client.json"
        try ClientFile.update(path) { file in
            file.set("url", of: stack.container, to: stack.gatewayURL)
            file.set("apiToken", of: stack.container, to: apiToken)
            file.set("webAuthToken", of: stack.container, to: webAuthToken)
            return true
        }
        let counter = accountChanges
        connections = Connections(
            environment: ["ZONDA_CLIENT_FILE": path, "ZONDA_CONTAINER": stack.container]
        ) { counter.count.withLock { $0 += 1 } }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// How often the account changed.
    var changes: Int { accountChanges.count.withLock { $0 } }
    /// The default container.
    var container: CKContainer { CKContainer(nil, connections, OperationDefaults()) }

    /// The connection to the gateway.
    func connection() throws -> WebConnection { try connections.connection(to: nil) }

    /// Sends a request to the private database.
    @discardableResult
    func ask(_ action: String, _ body: JSONValue) async throws -> JSONValue {
        try JSONValue(
            parsing: try await connection().send(WebRequest(action, in: .private, body: body.encoded())))
    }

    /// Creates a zone.
    func makeZone(_ name: String) async throws {
        try await ask(
            "zones/modify",
            ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": .string(name)]]]]])
    }

    /// Saves a record with the given fields.
    func save(_ name: String, in zone: String, _ fields: JSONValue) async throws -> JSONValue {
        let answer = try await ask(
            "records/modify",
            [
                "zoneID": ["zoneName": .string(zone)],
                "operations": [
                    [
                        "operationType": "forceUpdate",
                        "record": ["recordName": .string(name), "recordType": "Note", "fields": fields],
                    ]
                ],
            ])
        guard let record = answer["records"]?[0], record["serverErrorCode"] == nil else {
            throw TestFailure("not saved: \(answer)")
        }
        return record
    }
}
