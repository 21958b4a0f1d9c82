internal import AMQPClient
internal import ArgumentParser
internal import CloudKitWire
internal import Foundation
internal import PostgresClient

/// The environment variables that say where the servers are.
enum LimitEnvironment {
    /// The broker's address.
    static let amqpURL = "ZONDA_AMQP_URL"
    /// The database's address.
    static let postgresURL = "ZONDA_POSTGRES_URL"
    /// The container that requests act in.
    static let container = "ZONDA_CONTAINER"

    /// The value of a variable.
    ///
    /// - Throws: a `ValidationError` when it is not set.
    static func required(_ name: String) throws -> String {
        guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else {
            throw ValidationError("\(name) is not set (try: . .zonda/env)")
        }
        return value
    }

    /// How to reach the broker.
    ///
    /// - Throws: a `ValidationError` when nobody says, an `AMQPError` when the address cannot be read.
    static func broker() throws -> AMQPConfiguration {
        var configuration = try AMQPConfiguration(url: required(amqpURL))
        configuration.connectionName = "zonda-limits"
        return configuration
    }

    /// Lends connections to the service's own database.
    ///
    /// - Throws: a `ValidationError` when nobody says where it is, and what `body` throws.
    static func withServicePool<Result: Sendable>(
        connections: Int, _ body: @escaping @Sendable (PostgresPool) async throws -> Result
    ) async throws -> Result {
        try await LimitDatabase.withPool(url: required(postgresURL), connections: connections, body)
    }

    /// The same, with the sessions' parameters as PostgreSQL has them by itself: for statements written by hand.
    static func withPlainPool<Result: Sendable>(
        connections: Int, _ body: @escaping @Sendable (PostgresPool) async throws -> Result
    ) async throws -> Result {
        try await LimitDatabase.withPool(
            url: required(postgresURL), connections: connections,
            parameters: ["jit": "off", "max_parallel_workers_per_gather": "0"], body)
    }
}

extension Duration {
    /// Reads `500ms`, `5s` or `2m`.
    ///
    /// - Throws: a `ValidationError` for anything else and for nothing.
    static func parse(_ text: String) throws -> Duration {
        for (suffix, milliseconds) in [("ms", 1.0), ("s", 1000.0), ("m", 60_000.0)] where text.hasSuffix(suffix) {
            guard let number = Double(text.dropLast(suffix.count)), number > 0, number.isFinite else { continue }
            return .milliseconds(number * milliseconds)
        }
        throw ValidationError("'\(text)' is not a duration such as 500ms, 5s or 2m")
    }
}

/// Prints a result as a line of JSON.
func printLine(_ value: JSONValue) { print(String(decoding: value.encoded(), as: UTF8.self)) }
