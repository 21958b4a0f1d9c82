package import AMQPClient
package import Foundation
import Logging
package import ServiceMessages
import Synchronization

/// The database, virtual host, asset folder and services of one suite. Each service has the same rights as in a
/// deployment.
package final class ServiceStack: Sendable {
    /// The environment in which the stack runs.
    package let environment: TestEnvironment
    /// The services' database.
    package let database: TestDatabase
    /// The services' virtual host.
    package let vhost: TestBrokerVhost
    /// The services' users and roles.
    package let deployment: TestDeployment
    /// Publishes messages without waiting for an answer.
    package let publisher: AMQPPublisher
    /// A container. The services create it when it is first used.
    package let container = "com.example.tests"
    private let rpc: AMQPRPCClient
    private let folder: URL
    /// The port of ``assetURL``.
    package let assetPort: Int
    /// The port of ``gatewayURL``.
    package let gatewayPort: Int
    private let started = Mutex<[(name: ServiceName, process: ServiceProcess)]>([])

    private init(_ environment: TestEnvironment) async throws {
        self.environment = environment
        database = try await TestDatabase.make(in: environment)
        vhost = try await TestBrokerVhost.make(in: environment)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        rpc = AMQPRPCClient(configuration: try vhost.configuration(), logger: logger)
        publisher = AMQPPublisher(configuration: try vhost.configuration(), logger: logger)
        folder = FileManager.default.temporaryDirectory.appending(path: vhost.name)
        deployment = try await TestDeployment.make(
            database, vhost, in: environment, folder: folder.appending(path: "secrets"))
        assetPort = try HTTPProbe.freePort()
        gatewayPort = try HTTPProbe.freePort()
        try FileManager.default.createDirectory(at: assetFolder, withIntermediateDirectories: true)
        // The record service's tables refer to those of the asset service.
        try await migrateAssets()
    }

    /// The folder in which the asset services store blobs.
    package var assetFolder: URL { folder.appending(path: "assets") }

    /// The asset service's public address.
    package var assetURL: String { "http://127.0.0.1:\(assetPort)" }

    /// The gateway's public address.
    package var gatewayURL: String { "http://127.0.0.1:\(gatewayPort)" }

    /// Creates a stack, passes it to `body` and removes everything afterwards, even after an error. No service is
    /// started.
    ///
    /// - Throws: the errors of `body`; ``TestFailure`` if a server fails to execute a command.
    package static func with<Result: Sendable>(
        in environment: TestEnvironment? = nil, _ body: (ServiceStack) async throws -> Result
    ) async throws -> Result {
        let stack = try await ServiceStack(try environment ?? TestEnvironment.required())
        do {
            let result = try await stack.connected(body)
            try await stack.remove()
            return result
        } catch {
            try? await stack.remove()
            throw error
        }
    }

    /// Returns the settings of a service of this stack.
    ///
    /// - Throws: an error if a secret cannot be read.
    package func settings(of service: ServiceName) throws -> [String: String] {
        var settings = [
            "ZONDA_AMQP_URL": try deployment.brokerURL(of: service),
            "ZONDA_POSTGRES_URL": try deployment.databaseURL(of: service),
            "ZONDA_SIGNING_KEYS_FILE": deployment.secretsFolder(of: service).appending(path: "signing-keys").path,
            "ZONDA_CREATE_CONTAINERS": "true", "ZONDA_ASSET_URL": assetURL, "ZONDA_ASSET_DIRECTORY": assetFolder.path,
            "ZONDA_RECORD_ROLE": deployment.role(of: .record),
        ]
        if service == .gateway {
            settings["ZONDA_URL"] = gatewayURL
            // With the default cost, a debug build would take seconds for each password.
            settings["ZONDA_SIGN_IN_PASSWORD_COST"] = "10"
        }
        return settings
    }

    /// Starts a service and waits until it is ready.
    ///
    /// - Parameter settings: settings that override ``settings(of:)``.
    /// - Throws: ``TestFailure`` with the service's log.
    @discardableResult
    package func startService(
        _ name: ServiceName = .record, _ settings: [String: String] = [:]
    ) async throws -> ServiceProcess {
        let service = try launchService(name, settings)
        try await service.waitUntilReady()
        return service
    }

    /// Starts a service without waiting. The first running asset service and the first running gateway have the public
    /// addresses; others have none.
    ///
    /// - Throws: ``TestFailure``.
    package func launchService(
        _ name: ServiceName = .record, _ settings: [String: String] = [:], arguments: [String] = []
    ) throws -> ServiceProcess {
        let isFirst = started.withLock { !$0.contains { $0.name == name && $0.process.exit == nil } }
        let publicPort = name == .gateway ? gatewayPort : assetPort
        let port = isFirst ? publicPort : try HTTPProbe.freePort()
        let service = try ServiceProcess(
            "zonda-\(name.rawValue)", arguments: arguments,
            settings: try self.settings(of: name).merging(["ZONDA_HTTP_PORT": "\(port)"]) { $1 }
                .merging(settings) { $1 },
            in: environment)
        started.withLock { $0.append((name, service)) }
        return service
    }

    private func migrateAssets() async throws {
        let migration = try ChildProcess(
            "\(environment.binaries)/zonda-asset", ["migrate"],
            environment: ProcessInfo.processInfo.environment.merging(try settings(of: .asset)) { $1 })
        guard try await migration.exit(within: .seconds(30)) == .code(0) else {
            throw TestFailure("zonda-asset migrate failed: \(migration.errorText)")
        }
    }

    /// All services of this stack that were started, including those that have ended.
    package var services: [ServiceProcess] { started.withLock { $0.map(\.process) } }

    /// Returns a client that acts for a new user in the stack's container.
    package func client() -> TestClient { TestClient(rpc: rpc, container: container) }

    private func connected<Result: Sendable>(_ body: (ServiceStack) async throws -> Result) async throws -> Result {
        let (rpc, publisher) = (rpc, publisher)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await rpc.run() }
            group.addTask { try await publisher.run() }
            defer { group.cancelAll() }
            return try await body(self)
        }
    }

    private func remove() async throws {
        for service in services { service.kill() }
        for service in services { try await service.exit(within: .seconds(10)) }
        try? FileManager.default.removeItem(at: folder)
        try await deployment.remove()
    }
}

extension ServiceStack {
    /// Passes to `body` a client that acts like `client`, but in another virtual host.
    ///
    /// - Throws: the errors of `body`.
    package func withClient<Result: Sendable>(
        in vhost: TestBrokerVhost, like client: TestClient, _ body: (TestClient) async throws -> Result
    ) async throws -> Result {
        let rpc = AMQPRPCClient(
            configuration: try vhost.configuration(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await rpc.run() }
            defer { group.cancelAll() }
            var other = TestClient(rpc: rpc, container: client.container)
            other.headers = client.headers
            return try await body(other)
        }
    }
}

extension ServiceStack {
    /// The variables that `.zonda/env` sets for a client, with this stack and a new user.
    package var clientSettings: [String: String] {
        [
            "ZONDA_AMQP_URL": vhost.url, "ZONDA_CONTAINER": container, "ZONDA_ENVIRONMENT": "development",
            "ZONDA_DATABASE": "private", "ZONDA_USER": client().user,
        ]
    }
}
