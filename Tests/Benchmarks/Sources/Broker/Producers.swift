internal import AMQPClient
internal import Foundation
internal import Logging

/// Connections to the broker over which requests are under way side by side.
struct Producers: Sendable {
    private static let connectLimit: Duration = .seconds(10)

    /// How to reach the broker.
    let configuration: AMQPConfiguration
    /// Connections.
    let count: Int
    /// Requests under way in each.
    let inFlight: Int

    /// Runs `place`, which has one request under way at a time, once for each such place, and returns what they did and
    /// how long it took from the beginning of the first to the end of the last. The connections stand by then.
    ///
    /// - Parameter place: gets its connection and its number among all.
    /// - Throws: the first failure of a place. One is enough: a limit with failures is none.
    func run<Result: Sendable>(
        _ place: @escaping @Sendable (AMQPRPCClient, Int) async throws -> Result
    ) async throws -> (results: [Result], elapsed: Duration) {
        let clients = (0..<count).map { _ in
            AMQPRPCClient(configuration: configuration, maxInFlight: inFlight, logger: .limits)
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { try await client.run() } }
            defer { group.cancelAll() }
            for client in clients { try await client.waitUntilConnected(timeout: Self.connectLimit) }
            return try await sideBySide(clients.flatMap { Array(repeating: $0, count: inFlight) }, place)
        }
    }

    private func sideBySide<Result: Sendable>(
        _ clients: [AMQPRPCClient], _ place: @escaping @Sendable (AMQPRPCClient, Int) async throws -> Result
    ) async throws -> (results: [Result], elapsed: Duration) {
        let start = ContinuousClock.now
        let results = try await withThrowingTaskGroup(of: Result.self) { group in
            for (number, client) in clients.enumerated() { group.addTask { try await place(client, number) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        return (results, .now - start)
    }
}

extension Logger {
    /// Silent unless something is wrong: it would be measured too.
    static var limits: Logger {
        var logger = Logger(label: "zonda.limits") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        return logger
    }
}
