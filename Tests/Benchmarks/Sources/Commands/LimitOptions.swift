internal import AMQPClient
internal import ArgumentParser
internal import CloudKitWire
internal import Foundation
internal import PostgresClient

/// The environment variables with the addresses of the servers.
enum LimitEnvironment {
    /// The broker's URL.
    static let amqpURL = "ZONDA_AMQP_URL"
    /// The database's URL.
    static let postgresURL = "ZONDA_POSTGRES_URL"
    /// The container that requests act in.
    static let container = "ZONDA_CONTAINER"

    /// Returns the value of a variable.
    ///
    /// - Throws: a `ValidationError` if it is not set.
    static func required(_ name: String) throws -> String {
        guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else {
            throw ValidationError("\(name) is not set. Run '. .zonda/env' first.")
        }
        return value
    }

    /// Returns the configuration for connections to the broker.
    ///
    /// - Throws: a `ValidationError` if the URL is not set, an `AMQPError` if it is invalid.
    static func broker() throws -> AMQPConfiguration {
        var configuration = try AMQPConfiguration(url: required(amqpURL))
        configuration.connectionName = "zonda-limits"
        return configuration
    }

    /// Passes connections to the service's own database to `body`.
    ///
    /// - Throws: a `ValidationError` if the URL is not set; the errors of `body`.
    static func withServicePool<Result: Sendable>(
        connections: Int, _ body: @escaping @Sendable (PostgresPool) async throws -> Result
    ) async throws -> Result {
        try await LimitDatabase.withPool(url: required(postgresURL), connections: connections, body)
    }

    /// Does the same with PostgreSQL's default parameters for the sessions, for hand-written statements.
    static func withPlainPool<Result: Sendable>(
        connections: Int, _ body: @escaping @Sendable (PostgresPool) async throws -> Result
    ) async throws -> Result {
        try await LimitDatabase.withPool(
            url: required(postgresURL), connections: connections,
            parameters: ["jit": "off", "max_parallel_workers_per_gather": "0"], body)
    }
}

extension Duration {
    /// Parses a duration such as `500ms`, `5s` or `2m`.
    ///
    /// - Throws: a `ValidationError` for any other text and for zero.
    static func parse(_ text: String) throws -> Duration {
        for (suffix, milliseconds) in [("ms", 1.0), ("s", 1000.0), ("m", 60_000.0)] where text.hasSuffix(suffix) {
            guard let number = Double(text.dropLast(suffix.count)), number > 0, number.isFinite else { continue }
            return .milliseconds(number * milliseconds)
        }
        throw ValidationError("'\(text)' must be a duration such as 500ms, 5s or 2m")
    }
}

/// Prints a result as a line of JSON.
func printLine(_ value: JSONValue) { print(String(decoding: value.encoded(), as: UTF8.self)) }
