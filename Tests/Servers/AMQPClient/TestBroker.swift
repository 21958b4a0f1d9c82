import AMQPClient
import Dispatch
import Foundation
import Glibc
import Logging
import ServiceLifecycle
import Testing

/// All suites that use a real broker. They run one after the other, because some of them restart it.
@Suite(.serialized, .enabled(if: TestBroker.url != nil, "ZONDA_TEST_AMQP_URL names no broker"))
enum BrokerTests {}

/// The broker that the environment names.
enum TestBroker {
    /// The broker's URL.
    static let url = ProcessInfo.processInfo.environment["ZONDA_TEST_AMQP_URL"]
    /// An executable that executes `restart rabbitmq` (or `stop`, `start`) and exits when this is done.
    static let servers = ProcessInfo.processInfo.environment["ZONDA_TEST_SERVERS"]
    /// The URL of the same broker's TLS listener, and the file with the certificate of its authority.
    static let secureURL = ProcessInfo.processInfo.environment["ZONDA_TEST_AMQPS_URL"]
    static let authoritiesFile = ProcessInfo.processInfo.environment["ZONDA_TEST_AMQPS_CA"]

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    static func configuration() throws -> AMQPConfiguration {
        try AMQPConfiguration(url: try #require(url))
    }

    /// Returns a name that no other test uses.
    static func name(_ purpose: String) -> String {
        "test.\(purpose).\(UUID().uuidString.prefix(8))"
    }

    /// Runs a command of the servers' executable for the broker, and waits until it is done.
    static func servers(_ verb: String) async throws { try await control([verb, "rabbitmq"]) }

    /// Evaluates Erlang expressions in the broker.
    static func evaluate(_ expressions: String) async throws { try await control(["erlang", expressions]) }

    private static func control(_ arguments: [String]) async throws {
        let program = try #require(servers)
        let status = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: run([program] + arguments)) }
        }
        try #require(status == 0)
    }

    /// Runs a program and returns its wait status.
    ///
    /// Does not use Foundation's `Process`, which would wait until no descendant, such as the broker, holds its
    /// descriptors. Resets the signal mask, because a broker that inherits the mask of a dispatch thread ignores
    /// SIGTERM.
    private static func run(_ command: [String]) -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var arguments = command.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var child = pid_t()
        guard posix_spawn(&child, command[0], nil, &attributes, &arguments, environ) == 0 else {
            return -1
        }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        return status
    }

    /// Passes to `body` a session and the name of a durable queue, which is deleted afterwards.
    static func withQueue(
        _ purpose: String, arguments: AMQPTable = [:],
        _ body: (_ queue: String, _ session: AMQPChannelSession) async throws -> Void
    ) async throws {
        let queue = name(purpose)
        try await AMQPChannelSession.with(try configuration()) { session in
            _ = try await session.declare(AMQPQueue(name: queue, arguments: arguments))
            do {
                try await body(queue, session)
            } catch {
                _ = try? await session.deleteQueue(queue)
                throw error
            }
            try await session.deleteQueue(queue)
        }
    }
}

/// Runs services while `body` runs, then cancels them.
@discardableResult
func withRunning<R>(_ services: [any Service], _ body: () async throws -> R) async throws -> R {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for service in services {
            group.addTask { try await service.run() }
        }
        let result = try await body()
        group.cancelAll()
        try await group.waitForAll()
        return result
    }
}

extension AMQPMessage {
    /// Returns a small message to a queue, identified by `id`.
    static func to(_ queue: String, id: Int = 0, body: [UInt8] = Array("hello".utf8)) -> AMQPMessage {
        AMQPMessage(
            exchange: "", routingKey: queue, properties: AMQPProperties(messageID: String(id)), body: body,
            isMandatory: true)
    }
}
