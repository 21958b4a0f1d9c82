import AMQPClient
import ArgumentParser
import CloudKitWire
import CommandLineSession
import Foundation
import PostgresClient
import ServiceMessages

/// `zonda provision …`: makes what a deployment needs of its servers before its services start.
struct ProvisionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provision",
        abstract: "Prepare a deployment's secrets, broker and database: users that may do what they do and no more.",
        discussion: """
            Everything may be done again at any time. In this order, before the services start:

              zonda provision secrets DIR     passwords and signing keys, and what RabbitMQ loads at its start
              zonda provision database        a role and a schema for each service
              zonda provision topology        exchanges and queues, at a broker that has not loaded the definitions
            """,
        subcommands: [Secrets.self, Broker.self, Topology.self, Database.self, Environment.self])

    /// What the subcommands have in common.
    struct Options: ParsableArguments {
        @Option(help: "The deployment's name: users and roles begin with it.")
        var name = "zonda"

        func validate() throws {
            let isGood = name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") }
            guard isGood, (1...40).contains(name.utf8.count) else {
                throw ValidationError("--name has lower-case letters, digits and _, at most 40 of them")
            }
        }
    }

    /// How long notifications can be read again.
    struct RetentionOptions: ParsableArguments {
        @Option(help: "How long the log keeps notifications: a number and Y, M, D, h, m or s.")
        var notificationsAge = BrokerPolicy.Retention().maxAge

        @Option(help: "How many bytes of notifications the log keeps.")
        var notificationsBytes = BrokerPolicy.Retention().maxBytes

        /// As the broker is told.
        var retention: BrokerPolicy.Retention {
            var retention = BrokerPolicy.Retention()
            (retention.maxAge, retention.maxBytes) = (notificationsAge, notificationsBytes)
            return retention
        }

        func validate() throws {
            guard retention.isSound else {
                throw ValidationError("--notifications-age is as 24h or 7D, --notifications-bytes above 0")
            }
        }
    }

    struct Secrets: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make the passwords and signing keys that are missing in a folder.",
            discussion: """
                DIR gets a folder for each service (its ZONDA_SECRETS_DIRECTORY), one for the operator with the
                administrators' passwords, rabbitmq/definitions.json, which RabbitMQ loads by its setting
                load_definitions, and producers/producers.json, a first file for ZONDA_PRODUCERS.

                EXAMPLE
                  zonda provision secrets /run/zonda-secrets
                """)

        @OptionGroup var options: Options
        @OptionGroup var log: RetentionOptions

        @Option(help: "The virtual host in the broker's definitions.")
        var vhost = "/"

        @Argument(help: "The folder.")
        var directory: String

        func run() async throws {
            try await failingPlainly {
                let secrets = DeploymentSecrets(path: directory)
                try secrets.fill()
                try secrets.write(
                    BrokerDefinitions(
                        of: options.name, virtualHost: vhost, secrets: secrets, retention: log.retention))
                try secrets.writeProducers(of: options.name)
            }
        }
    }

    struct Broker: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the broker's definitions: users, rights, exchanges, queues, bindings and policies.",
            discussion: """
                For `rabbitmqctl import_definitions` or the management page. Passwords are hashed.

                EXAMPLE
                  zonda provision broker --secrets DIR > definitions.json
                """)

        @OptionGroup var options: Options
        @OptionGroup var log: RetentionOptions

        @Option(help: "The virtual host.")
        var vhost = "/"

        @Option(help: "The folder of the secrets.")
        var secrets: String

        func run() async throws {
            try await failingPlainly {
                let definitions = try BrokerDefinitions(
                    of: options.name, virtualHost: vhost, secrets: DeploymentSecrets(path: secrets),
                    retention: log.retention)
                Console.print(definitions.json.text)
            }
        }
    }

    struct Topology: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Declare exchanges, queues and bindings at a broker, as a user that may.",
            discussion: """
                For a broker whose users are somebody else's business. Policies, which bound the log of notifications
                and consumers' queues, cannot be set over AMQP: they are set over RabbitMQ's management HTTP API, or
                printed for whoever may.

                EXAMPLE
                  ZONDA_SECRETS_DIRECTORY=DIR/operator zonda provision topology --amqp-url amqp://zonda@localhost/%2F
                """)

        @OptionGroup var global: GlobalOptions
        @OptionGroup var management: ConsumerCommand.Management
        @OptionGroup var log: RetentionOptions

        func run() async throws {
            let configuration: AMQPConfiguration
            do {
                configuration = try AMQPConfiguration(url: try global.brokerURL())
            } catch let error as AMQPError {
                throw ValidationError(error.message)
            }
            try await failingPlainly {
                try await AMQPChannelSession.with(configuration) { try await $0.declare(ServiceMessages.Topology.all) }
                let policies = BrokerPolicy.all(log.retention)
                guard let url = try? management.url() else { return Self.print(policies, configuration.virtualHost) }
                try await BrokerAdministration.with(url, configuration) { administration in
                    for policy in policies {
                        try await administration.put("policies", [policy.name], BrokerDefinitions.json(policy))
                    }
                }
            }
        }

        /// For whoever may set them.
        private static func print(_ policies: [BrokerPolicy], _ vhost: String) {
            Console.report("zonda: without RabbitMQ's management the policies are yours to set:")
            for policy in policies {
                let definition = BrokerDefinitions.json(policy)["definition"]?.text ?? ""
                Console.report(
                    "rabbitmqctl set_policy --vhost '\(vhost)' --apply-to queues --priority 10 \(policy.name) "
                        + "'\(policy.pattern)' '\(definition)'")
            }
        }
    }

    struct Database: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a role and a schema for each service in a database.",
            discussion: """
                The administrator owns the database and may make roles. With --operator-secret the password is not in
                the address but in the folder, operator/postgres-password.

                EXAMPLE
                  zonda provision database --secrets DIR --operator-secret --postgres-url postgres://zonda@localhost/zonda
                """)

        @OptionGroup var options: Options

        @Option(help: "The folder of the secrets.")
        var secrets: String

        @Option(help: "The database, as its administrator. Default: $ZONDA_POSTGRES_URL.")
        var postgresURL: String?

        @Flag(help: "Take the administrator's password from the folder of the secrets.")
        var operatorSecret = false

        @Option(help: "How long to wait for a server that is not there yet.", transform: Duration.parse)
        var wait: Duration = .seconds(60)

        /// Where the administrator's address and password come from.
        private var places: PostgresError.Places {
            let url = postgresURL == nil ? "ZONDA_POSTGRES_URL" : "--postgres-url"
            let file = "\(secrets)/\(DeploymentSecrets.operatorName)/postgres-password"
            return PostgresError.Places(url: url, password: operatorSecret ? file : "the password in \(url)")
        }

        func run() async throws {
            guard let url = postgresURL ?? GlobalOptions.variable("ZONDA_POSTGRES_URL") else {
                throw ValidationError("Where is the database? Give --postgres-url or set ZONDA_POSTGRES_URL")
            }
            try await failingPlainly {
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
}

extension ProvisionCommand {
    /// `zonda provision environment`.
    struct Environment: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the lines with which a shell uses a deployment as its operator.",
            discussion: """
                The lines hold the operator's password.

                EXAMPLE
                  eval "$(zonda provision environment --secrets DIR)"
                """)

        @OptionGroup var options: Options

        @Option(help: "The folder of the secrets.")
        var secrets: String

        @Option(help: "The broker's host.")
        var host = "127.0.0.1"

        @Option(help: "The broker's port.")
        var port = 5672

        @Option(help: "The port of RabbitMQ's management.")
        var managementPort = 15672

        @Option(help: "The virtual host.")
        var vhost = "/"

        func run() async throws {
            try await failingPlainly {
                let password = try DeploymentSecrets(path: secrets).password(for: .amqp, of: nil)
                let path = vhost.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? vhost
                Console.print(
                    """
                    export ZONDA_AMQP_URL=amqp://\(options.name):\(password)@\(host):\(port)/\(path)
                    export ZONDA_RABBITMQ_MANAGEMENT_URL=http://\(host):\(managementPort)
                    export ZONDA_CONTAINER=iCloud.org.example.demo
                    export ZONDA_ENVIRONMENT=development
                    export ZONDA_DATABASE=private
                    export ZONDA_USER=_00000000000000000000000000000001
                    """)
            }
        }
    }
}

/// Runs `body`; whatever it throws is told on standard error and becomes exit status 1.
private func failingPlainly(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch {
        Console.report("zonda: \(error)")
        throw ExitCode.failure
    }
}
