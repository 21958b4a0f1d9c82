package import Foundation
package import ServiceMessages

/// The broker users and database roles of one suite's services. As in a deployment, `zonda provision` creates them,
/// each with only the rights that its service needs.
package struct TestDeployment: Sendable {
    private let environment: TestEnvironment
    private let database: TestDatabase
    private let vhost: TestBrokerVhost
    private let secrets: URL

    /// Provisions a deployment in a database and a virtual host. The deployment has the name of the database.
    ///
    /// - Parameter folder: an empty folder for the secrets.
    /// - Throws: ``TestFailure``.
    package static func make(
        _ database: TestDatabase, _ vhost: TestBrokerVhost, in environment: TestEnvironment, folder: URL
    ) async throws -> TestDeployment {
        let deployment = TestDeployment(environment: environment, database: database, vhost: vhost, secrets: folder)
        try await deployment.provision()
        return deployment
    }

    /// Creates the users, roles and secrets that are missing.
    ///
    /// - Throws: ``TestFailure``.
    package func provision() async throws {
        try await zonda("secrets", "--vhost", vhost.name, "--name", database.name, secrets.path)
        try await environment.control(
            "erlang",
            """
            {ok, Text} = file:read_file("\(secrets.appending(path: "rabbitmq/definitions.json").path)"),
            {ok, Definitions} = rabbit_json:try_decode(Text),
            ok = rabbit_definitions:import_parsed(Definitions).
            """)
        try await zonda("database", "--secrets", secrets.path, "--name", database.name, "--postgres-url", database.url)
    }

    /// Returns the URL with which a service connects to the broker.
    ///
    /// - Throws: an error if the password cannot be read.
    package func brokerURL(of service: ServiceName) throws -> String {
        try url(vhost.url, user: user(of: service), secret: "\(service.rawValue)/amqp-password")
    }

    /// Returns the URL with which a service connects to the database.
    ///
    /// - Throws: an error if the password cannot be read.
    package func databaseURL(of service: ServiceName) throws -> String {
        try url(database.url, user: role(of: service), secret: "\(service.rawValue)/postgres-password")
    }

    /// Returns the database role of a service.
    package func role(of service: ServiceName) -> String { "\(database.name)_\(service.rawValue)" }

    /// Returns the folder with a service's secrets.
    package func secretsFolder(of service: ServiceName) -> URL { secrets.appending(path: service.rawValue) }

    /// Removes the users, the roles, the database and the virtual host.
    ///
    /// - Throws: ``TestFailure``, `PostgresError`.
    package func remove() async throws {
        if !environment.brokerEndsWithTest {
            let users = ([database.name] + ServiceName.allCases.map(user)).map { "<<\"\($0)\">>" }
            try await environment.control(
                "erlang",
                "[rabbit_auth_backend_internal:delete_user(U, <<\"test\">>) || U <- [\(users.joined(separator: ", "))]]."
            )
            try await vhost.delete()
        }
        try await database.drop(roles: ServiceName.allCases.map(role))
    }

    private func user(of service: ServiceName) -> String { "\(database.name)-\(service.rawValue)" }

    private func url(_ url: String, user: String, secret: String) throws -> String {
        guard var components = URLComponents(string: url) else { throw TestFailure("a URL is invalid") }
        components.user = user
        components.password = try String(contentsOf: secrets.appending(path: secret), encoding: .utf8)
            .trimmingCharacters(in: .newlines)
        return components.string ?? ""
    }

    private func zonda(_ arguments: String...) async throws {
        let process = try ChildProcess(
            "\(environment.binaries)/zonda", ["provision"] + arguments,
            environment: ProcessInfo.processInfo.environment)
        guard try await process.exit(within: .seconds(60)) == .code(0) else {
            throw TestFailure("zonda provision \(arguments.first ?? "") failed: \(process.errorText)")
        }
    }
}
