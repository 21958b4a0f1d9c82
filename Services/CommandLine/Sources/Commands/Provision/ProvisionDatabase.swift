import AMQPClient
import ArgumentParser
import CloudKitWire
import CommandLineSession
import Foundation
import PostgresClient
import ServiceMessages

/// `zonda provision database`.
struct ProvisionDatabase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database",
        abstract: "Create a role and a schema for each service in a database.",
        discussion: """
            The administrator must own the database and be allowed to create roles. With --operator-secret, the \
            password is read from the file operator/postgres-password in the secrets folder instead of from the URL.

            EXAMPLE
              zonda provision database --secrets DIR --operator-secret --postgres-url postgres://zonda@localhost/zonda
            """)

    @OptionGroup var options: ProvisionOptions

    @Option(help: "The secrets folder.")
    var secrets: String

    @Option(help: "The database's URL, including the administrator's name. Default: $ZONDA_POSTGRES_URL.")
    var postgresURL: String?

    @Flag(help: "Read the administrator's password from the secrets folder.")
    var operatorSecret = false

    @Option(help: "The maximum wait for a server that is starting.", transform: Duration.parse)
    var wait: Duration = .seconds(60)

    /// The sources of the URL and the administrator's password, for error messages.
    private var places: PostgresError.Places {
        let url = postgresURL == nil ? "ZONDA_POSTGRES_URL" : "--postgres-url"
        let file = "\(secrets)/\(DeploymentSecrets.operatorName)/postgres-password"
        return PostgresError.Places(url: url, password: operatorSecret ? file : "the password in \(url)")
    }

    func run() async throws {
        guard let url = postgresURL ?? GlobalOptions.variable("ZONDA_POSTGRES_URL") else {
            throw ValidationError("The database's URL is missing: specify --postgres-url or set ZONDA_POSTGRES_URL")
        }
        try await CommandFailure.reporting {
            let folder = DeploymentSecrets(path: secrets)
            let administration = DatabaseAdministration(
                url: url, password: operatorSecret ? try folder.password(for: .postgres, of: nil) : nil,
                patience: wait)
            do {
                try await administration.withTransaction { connection in
                    try await DatabaseRoles(deployment: options.name, secrets: folder).make(on: connection)
                }
            } catch let error as PostgresError {
                throw error.connectionAdvice(places).map { ProvisionError($0) } ?? error
            }
        }
    }
}
