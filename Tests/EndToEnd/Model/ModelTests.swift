import AMQPClient
import Foundation
import Logging
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Concurrent random requests of several clients, compared with a model in memory. `ZONDA_TEST_MODEL_SEED` repeats
    /// a program, and `ZONDA_TEST_MODEL_STEPS` makes it longer.
    @Suite(.timeLimit(.minutes(10))) struct ModelTests {
        @Test func oneServiceDoesWhatTheModelDoes() async throws {
            try await run(services: 1, slowness: 0.01)
        }

        @Test func twoServicesWithSlowTransactionsDoWhatTheModelDoes() async throws {
            try await run(services: 2, slowness: 0.05)
        }

        private func run(services: Int, slowness: Double) async throws {
            let settings = ProcessInfo.processInfo.environment
            let seed = settings["ZONDA_TEST_MODEL_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1_000_000_000)
            let steps = settings["ZONDA_TEST_MODEL_STEPS"].flatMap(Int.init) ?? 2000
            print("model test: \(services) service(s), ZONDA_TEST_MODEL_SEED=\(seed)")
            try await ServiceStack.with { stack in
                var started: [ServiceProcess] = []
                for _ in 0..<services {
                    started.append(try await stack.startService(.record, ["ZONDA_FAULTS": "true"]))
                }
                let clock = LogicalClock()
                try await stack.withClients(ModelProgram.clients) { clients in
                    var run = ModelRun(
                        ModelProgram(seed: seed, slowness: slowness),
                        clients: clients.enumerated().map { ModelClient(name: "c\($0)", client: $1, clock: clock) },
                        auditor: clients[0])
                    try await run.run(steps: steps)
                    print("model test: \(run.steps) steps: \(run.summary)")
                    if steps >= 2000 { #expect(run.unmet == [], "seed \(seed)") }
                }
                for service in started { #expect(service.errors == []) }
            }
        }
    }
}

extension ServiceStack {
    /// Passes to `body` clients of one user, each with its own connection.
    fileprivate func withClients<Result: Sendable>(
        _ count: Int, _ body: ([TestClient]) async throws -> Result
    ) async throws -> Result {
        let first = client()
        return try await withConnections(count) { connections in
            try await body(
                connections.map { TestClient(rpc: $0, container: container, user: first.user) })
        }
    }

    /// Passes connections to `body`.
    func withConnections<Result: Sendable>(
        _ count: Int, _ body: ([AMQPRPCClient]) async throws -> Result
    ) async throws -> Result {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let connections = try (0..<count).map { _ in
            AMQPRPCClient(configuration: try vhost.configuration(), logger: logger)
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for connection in connections { group.addTask { try await connection.run() } }
            defer { group.cancelAll() }
            return try await body(connections)
        }
    }
}
