package import AMQPClient
import Foundation
import Logging
import ServiceMessages
import Synchronization

/// A database, a virtual host and the record services of one suite.
package final class RecordStack: Sendable {
    /// Where everything runs.
    package let environment: TestEnvironment
    /// The services' database.
    package let database: TestDatabase
    /// The services' virtual host.
    package let vhost: TestBrokerVhost
    /// Publishes without waiting for an answer.
    package let publisher: AMQPPublisher
    /// A container; services make it on first use.
    package let container = "com.example.tests"
    private let rpc: AMQPRPCClient
    private let keysFile: URL
    private let started = Mutex<[ServiceProcess]>([])

    private init(_ environment: TestEnvironment) async throws {
        self.environment = environment
        database = try await TestDatabase.make(in: environment)
        vhost = try await TestBrokerVhost.make(in: environment)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        rpc = AMQPRPCClient(configuration: try vhost.configuration(), logger: logger)
        publisher = AMQPPublisher(configuration: try vhost.configuration(), topology: Topology.all, logger: logger)
        keysFile = FileManager.default.temporaryDirectory.appending(path: "\(vhost.name).keys")
        let key = (0..<64).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
        try "test:\(key)\n".write(to: keysFile, atomically: true, encoding: .utf8)
    }

    /// Makes a stack, lends it to `body` and removes everything, whatever happens. No service is started.
    ///
    /// - Throws: what `body` throws; ``TestFailure`` when a server does not do as it is told.
    package static func with<Result: Sendable>(
        _ body: (RecordStack) async throws -> Result
    ) async throws -> Result {
        let stack = try await RecordStack(try TestEnvironment.required())
        do {
            let result = try await stack.connected(body)
            try await stack.remove()
            return result
        } catch {
            try? await stack.remove()
            throw error
        }
    }

    /// The settings of a record service of this stack.
    package var settings: [String: String] {
        [
            "ZONDA_AMQP_URL": vhost.url, "ZONDA_POSTGRES_URL": database.url, "ZONDA_SIGNING_KEYS_FILE": keysFile.path,
            "ZONDA_CREATE_CONTAINERS": "true",
        ]
    }

    /// Starts a record service and waits until it is ready.
    ///
    /// - Parameter settings: laid over ``settings``.
    /// - Throws: ``TestFailure`` with its log.
    @discardableResult
    package func startService(_ settings: [String: String] = [:]) async throws -> ServiceProcess {
        let service = try launchService(settings)
        try await service.waitUntilReady()
        return service
    }

    /// Starts a record service without waiting.
    ///
    /// - Throws: ``TestFailure``.
    package func launchService(_ settings: [String: String] = [:]) throws -> ServiceProcess {
        let service = try ServiceProcess(
            "zonda-record", settings: self.settings.merging(settings) { $1 }, in: environment)
        started.withLock { $0.append(service) }
        return service
    }

    /// Every service of this stack that was started, ended ones too.
    package var services: [ServiceProcess] { started.withLock { $0 } }

    /// A client that acts for a new user in the stack's container.
    package func client() -> TestClient { TestClient(rpc: rpc, container: container) }

    private func connected<Result: Sendable>(_ body: (RecordStack) async throws -> Result) async throws -> Result {
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
        try? FileManager.default.removeItem(at: keysFile)
        try await vhost.delete()
        try await database.drop()
    }
}

extension RecordStack {
    /// Lends a client that asks as `client` does, but in another virtual host.
    ///
    /// - Throws: what `body` throws.
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
