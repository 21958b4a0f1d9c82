internal import AMQPClient
internal import Foundation
internal import Logging

/// Connections to the broker with concurrent requests.
struct Producers: Sendable {
    private static let connectLimit: Duration = .seconds(10)

    /// The configuration of the connections.
    let configuration: AMQPConfiguration
    /// The number of connections.
    let count: Int
    /// The number of requests in progress on each connection.
    let inFlight: Int

    /// Runs `place`, which has one request in progress at a time, once for each possible request. Returns the results,
    /// and the time from the start of the first to the end of the last, without that for connecting.
    ///
    /// - Parameter place: called with its connection and its number.
    /// - Throws: the first failure of a place, because a limit that was measured with failures is not valid.
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
    /// A logger that logs only errors, because other messages would affect the measurement.
    static var limits: Logger {
        var logger = Logger(label: "zonda.limits") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        return logger
    }
}
