import Foundation

/// What a test run offers to tests that need real servers and programs, as `deploy/test` sets it.
///
/// | variable | meaning |
/// | --- | --- |
/// | `ZONDA_TEST_POSTGRES_URL` | a PostgreSQL, as a superuser |
/// | `ZONDA_TEST_AMQP_URL` | a RabbitMQ, as an administrator |
/// | `ZONDA_TEST_SERVERS` | an executable that stops, starts, restarts and kills the two, evaluates `erlang`, and passes on to `rabbitmqctl` |
/// | `ZONDA_TEST_RABBITMQ_MANAGEMENT_URL` | that RabbitMQ's management HTTP API; may be missing |
/// | `ZONDA_TEST_BINARIES` | the folder of the built programs |
package struct TestEnvironment: Sendable {
    /// The server on which tests make databases of their own; a superuser's URL.
    package let postgresURL: String
    /// The broker in which tests make virtual hosts of their own; an administrator's URL.
    package private(set) var amqpURL: String
    /// The broker's management HTTP API, for the same administrator; nil when it has none.
    package private(set) var managementURL: String?
    /// The executable that controls both servers.
    package private(set) var servers: String
    /// The folder of the programs under test.
    package let binaries: String

    /// The environment of this run; nil when a part of it is missing.
    package static let current = TestEnvironment(variables: ProcessInfo.processInfo.environment)

    /// Why a test that needs ``current`` is skipped.
    package static let absence: String =
        "ZONDA_TEST_POSTGRES_URL, _AMQP_URL, _SERVERS and _BINARIES are not all set: deploy/test sets them"

    /// Variables that ``servers`` needs beside those of this process.
    private var variables: [String: String] = [:]

    /// Whether the broker ends with the test, so that nothing in it has to be removed. A cluster that lacks a node takes
    /// seconds for each queue.
    private(set) var brokerEndsWithTest = false

    /// The same environment with another broker, which ends with the test.
    func with(amqpURL: String, servers: String, variables: [String: String]) -> TestEnvironment {
        var other = self
        (other.amqpURL, other.servers, other.variables) = (amqpURL, servers, variables)
        other.managementURL = nil
        other.brokerEndsWithTest = true
        return other
    }

    private init?(variables: [String: String]) {
        guard let postgresURL = variables["ZONDA_TEST_POSTGRES_URL"], let amqpURL = variables["ZONDA_TEST_AMQP_URL"],
            let servers = variables["ZONDA_TEST_SERVERS"], let binaries = variables["ZONDA_TEST_BINARIES"]
        else { return nil }
        self.postgresURL = postgresURL
        self.amqpURL = amqpURL
        managementURL = variables["ZONDA_TEST_RABBITMQ_MANAGEMENT_URL"]
        self.servers = servers
        self.binaries = binaries
    }

    /// The environment of this run.
    ///
    /// - Throws: ``TestFailure`` when a part of it is missing.
    package static func required() throws(TestFailure) -> TestEnvironment {
        guard let current else { throw TestFailure(absence) }
        return current
    }

    /// Whether the programs under test are optimised; limits of memory and time are stated for those.
    package var hasReleaseBinaries: Bool { URL(fileURLWithPath: binaries).lastPathComponent == "release" }

    /// Has the servers' executable do something (`restart rabbitmq`) and returns its output when it is done.
    ///
    /// - Throws: ``TestFailure`` with what it said when it failed, or took longer than two minutes.
    @discardableResult
    package func control(_ arguments: String...) async throws -> String { try await control(arguments) }

    /// As ``control(_:)``, with arguments that are in a list already.
    @discardableResult
    package func control(_ arguments: [String]) async throws -> String {
        let process = try ChildProcess(
            servers, arguments, environment: ProcessInfo.processInfo.environment.merging(variables) { $1 })
        let exit = try await process.exit(within: .seconds(120))
        guard exit == .code(0) else {
            throw TestFailure("\(arguments.joined(separator: " ")) ended with \(exit): \(process.errorText)")
        }
        return process.outputText
    }

    /// A name that no other test of this or another run uses: lower-case letters, digits and `_`.
    package static func uniqueName(_ purpose: String) -> String {
        "zonda_test_\(purpose)_\(String(UInt32.random(in: .min ... .max), radix: 36))"
    }
}

/// Why a test cannot continue.
package struct TestFailure: Error, CustomStringConvertible {
    /// The sentence for the reader of the test's result.
    package let description: String

    /// A failure with that sentence.
    package init(_ description: String) { self.description = description }
}
