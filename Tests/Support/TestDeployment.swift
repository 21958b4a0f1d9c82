package import Foundation
package import ServiceMessages

/// Users of the broker and roles of the database for the services of one suite, made as an operator makes them: by
/// `zonda provision`. Each may do what its service does and no more.
package struct TestDeployment: Sendable {
    private let environment: TestEnvironment
    private let database: TestDatabase
    private let vhost: TestBrokerVhost
    private let secrets: URL

    /// Provisions a deployment in a database and a virtual host. Its name is the database's.
    ///
    /// - Parameter folder: an empty one, for the secrets.
    /// - Throws: ``TestFailure``.
    package static func make(
        _ database: TestDatabase, _ vhost: TestBrokerVhost, in environment: TestEnvironment, folder: URL
    ) async throws -> TestDeployment {
        let deployment = TestDeployment(environment: environment, database: database, vhost: vhost, secrets: folder)
        try await deployment.provision()
        return deployment
    }

    /// Makes what is missing.
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

    /// A service's broker address.
    ///
    /// - Throws: when its password cannot be read.
    package func brokerURL(of service: ServiceName) throws -> String {
        try url(vhost.url, user: user(of: service), secret: "\(service.rawValue)/amqp-password")
    }

    /// A service's database address.
    ///
    /// - Throws: when its password cannot be read.
    package func databaseURL(of service: ServiceName) throws -> String {
        try url(database.url, user: role(of: service), secret: "\(service.rawValue)/postgres-password")
    }

    /// A service's database role.
    package func role(of service: ServiceName) -> String { "\(database.name)_\(service.rawValue)" }

    /// Where a service's secrets are.
    package func secretsFolder(of service: ServiceName) -> URL { secrets.appending(path: service.rawValue) }

    /// Removes users, roles, database and virtual host.
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
        guard var components = URLComponents(string: url) else { throw TestFailure("an address cannot be read") }
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
