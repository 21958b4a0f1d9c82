import Foundation

/// The environment that a test run provides for tests that need real servers and programs. `deploy/test` sets its
/// variables.
///
/// | variable | meaning |
/// | --- | --- |
/// | `ZONDA_TEST_POSTGRES_URL` | a PostgreSQL, as a superuser |
/// | `ZONDA_TEST_AMQP_URL` | a RabbitMQ, as an administrator |
/// | `ZONDA_TEST_SERVERS` | an executable that stops, starts, restarts and kills both servers, evaluates `erlang`, and forwards to `rabbitmqctl` |
/// | `ZONDA_TEST_RABBITMQ_MANAGEMENT_URL` | the management HTTP API of the same RabbitMQ; may be missing |
/// | `ZONDA_TEST_BINARIES` | the folder of the built programs |
package struct TestEnvironment: Sendable {
    /// A superuser's URL for the server on which tests create their databases.
    package let postgresURL: String
    /// An administrator's URL for the broker in which tests create their virtual hosts.
    package private(set) var amqpURL: String
    /// The broker's management HTTP API, for the same administrator; nil if it has none.
    package private(set) var managementURL: String?
    /// The executable that controls both servers.
    package private(set) var servers: String
    /// The folder of the programs under test.
    package let binaries: String

    /// The environment of this run; nil if a part of it is missing.
    package static let current = TestEnvironment(variables: ProcessInfo.processInfo.environment)

    /// The reason for which a test that needs ``current`` is skipped.
    package static let absence: String =
        "ZONDA_TEST_POSTGRES_URL, _AMQP_URL, _SERVERS and _BINARIES are not all set: deploy/test sets them"

    /// Variables that ``servers`` needs in addition to those of this process.
    private var variables: [String: String] = [:]

    /// Whether the broker ends with the test, so that nothing in it has to be deleted. In a cluster that lacks a node,
    /// deleting takes seconds for each queue.
    private(set) var brokerEndsWithTest = false

    /// Returns the same environment with another broker, which ends with the test.
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

    /// Returns the environment of this run.
    ///
    /// - Throws: ``TestFailure`` if a part of it is missing.
    package static func required() throws(TestFailure) -> TestEnvironment {
        guard let current else { throw TestFailure(absence) }
        return current
    }

    /// Whether the programs under test are optimized. Limits on memory and time apply only to optimized programs.
    package var hasReleaseBinaries: Bool { URL(fileURLWithPath: binaries).lastPathComponent == "release" }

    /// Runs a command of the servers' executable, such as `restart rabbitmq`, and returns its output.
    ///
    /// - Throws: ``TestFailure`` with the command's error output if it fails or takes longer than two minutes.
    @discardableResult
    package func control(_ arguments: String...) async throws -> String { try await control(arguments) }

    /// Does the same as ``control(_:)``, with the arguments in an array.
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

    /// Returns a name that no other test of this or another run uses. It consists of lower-case letters, digits and
    /// `_`.
    package static func uniqueName(_ purpose: String) -> String {
        "zonda_test_\(purpose)_\(String(UInt32.random(in: .min ... .max), radix: 36))"
    }
}

/// The reason for which a test cannot continue.
package struct TestFailure: Error, CustomStringConvertible {
    /// The text for the reader of the test's result.
    package let description: String

    /// Creates a failure with a text.
    package init(_ description: String) { self.description = description }
}
