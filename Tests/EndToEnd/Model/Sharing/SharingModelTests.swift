import AMQPClient
import Foundation
import ServiceMessages
import Synchronization
import TestSupport
import Testing

extension EndToEndTests {
    /// Concurrent random requests of owners and participants, compared with a model in memory. One of the two services
    /// is killed now and then. `ZONDA_TEST_MODEL_SEED` repeats a program, `ZONDA_TEST_MODEL_SEEDS` runs several of them,
    /// and `ZONDA_TEST_MODEL_STEPS` makes them longer. A program of ``stepsOfAllSituations`` steps must also cover every
    /// situation.
    @Suite(.timeLimit(.minutes(30))) struct SharingModelTests {
        private static let settings = ProcessInfo.processInfo.environment
        /// The number of steps after which every situation has occurred. Some of them are rare.
        private static let stepsOfAllSituations = 4000
        private static let seeds: [UInt64] = {
            if let seed = settings["ZONDA_TEST_MODEL_SEED"].flatMap(UInt64.init) { return [seed] }
            let count = settings["ZONDA_TEST_MODEL_SEEDS"].flatMap(Int.init) ?? 1
            return (0..<count).map { _ in .random(in: 0..<1_000_000_000) }
        }()

        @Test(arguments: seeds) func participantsSeeWhatTheModelShowsThem(seed: UInt64) async throws {
            let steps = Self.settings["ZONDA_TEST_MODEL_STEPS"].flatMap(Int.init) ?? 1000
            print("sharing model test: ZONDA_TEST_MODEL_SEED=\(seed)")
            try await ServiceStack.with { stack in
                let pair = try await ServicePair(stack)
                try await stack.withSharingClients(SharingProgram.clients) { clients in
                    let clock = LogicalClock()
                    let clients = clients.enumerated().map { index, client in
                        let user = SharingProgram.clients[index]
                        let name = "\(user.rawValue)\(index)"
                        return SharingClient(
                            user: user, model: ModelClient(name: name, client: client, clock: clock),
                            kill: { pair.kill() })
                    }
                    var run = SharingRun(
                        SharingProgram(seed: seed), clients: clients,
                        services: SharingRun.Services(
                            restart: { try await pair.restart() },
                            problems: { try await stack.problems(ofZone: $0, owner: $1) }))
                    do {
                        try await run.run(steps: steps)
                    } catch {
                        print("sharing model test: \(run.steps) steps: \(run.summary)")
                        throw error
                    }
                    print("sharing model test: \(run.steps) steps, \(pair.kills) kills: \(run.summary)")
                    if steps >= Self.stepsOfAllSituations { #expect(run.unmet == [], "seed \(seed)") }
                }
                for service in stack.services where service.exit == nil { #expect(service.errors == []) }
            }
        }
    }
}

/// Two record services. One of them causes the failures that messages request, and can be killed.
private final class ServicePair: Sendable {
    private static let settings = ["ZONDA_LIMIT_CASCADE": "\(SharingProgram.moveLimit)"]

    private let stack: ServiceStack
    private let mortal: Mutex<ServiceProcess>
    private let killed = Mutex(0)

    init(_ stack: ServiceStack) async throws {
        self.stack = stack
        _ = try await stack.startService(.record, Self.settings)
        mortal = Mutex(try await Self.start(stack))
    }

    /// The number of times that a service was found killed.
    var kills: Int { killed.withLock { $0 } }

    /// Kills one of the services.
    func kill() { mortal.withLock { $0.kill() } }

    /// Starts the service again if it was killed.
    func restart() async throws {
        guard mortal.withLock({ $0.exit != nil }) else { return }
        killed.withLock { $0 += 1 }
        let next = try await Self.start(stack)
        mortal.withLock { $0 = next }
    }

    private static func start(_ stack: ServiceStack) async throws -> ServiceProcess {
        try await stack.startService(.record, settings.merging(["ZONDA_FAULTS": "true"]) { $1 })
    }
}

extension ServiceStack {
    /// Passes to `body` a client for each of `users`, each with its own connection.
    fileprivate func withSharingClients<Result: Sendable>(
        _ users: [ModelUser], _ body: ([TestClient]) async throws -> Result
    ) async throws -> Result {
        try await withConnections(users.count) { connections in
            try await body(
                zip(users, connections).map { TestClient(rpc: $1, container: container, user: $0.name) })
        }
    }

    /// Waits until a zone has no cascade that a background job must complete, and returns the differences between the
    /// stored membership and the parents.
    fileprivate func problems(ofZone zone: String, owner: String) async throws -> [String] {
        let url = try deployment.databaseURL(of: .record)
        return try await eventually("the background jobs of \(zone)") {
            let membership = try await ZoneMembership(ofZone: zone, owner: owner) {
                try await self.database.query($0, $1, as: url)
            }
            return membership.isSettled ? membership.problems : nil
        }
    }
}
