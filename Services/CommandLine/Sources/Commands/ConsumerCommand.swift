import AMQPClient
import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import Foundation
import ServiceMessages

/// `zonda consumer …`: an operator's commands.
struct ConsumerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consumer",
        abstract: "Let somebody hear the changes of some zones, and nothing else.",
        discussion: """
            A consumer is a user of the broker. It may declare queues whose names begin consumer.NAME., bind them to the \
            notifications of the zones granted, consume them, and ask for past notifications of these zones \
            (notifications.replay).

            Users of the broker are made over RabbitMQ's management HTTP API, at --management-url.
            """,
        subcommands: [Grant.self, List.self, Revoke.self])

    /// How to reach what makes users of the broker.
    struct Management: ParsableArguments {
        @Option(
            help: """
                RabbitMQ's management, http://HOST:PORT, to be used as the user of the broker's address unless it names \
                another. Default: $ZONDA_RABBITMQ_MANAGEMENT_URL.
                """)
        var managementURL: String?

        /// Where it is.
        ///
        /// - Throws: a `ValidationError` when nobody says.
        func url() throws -> String {
            guard let url = managementURL ?? GlobalOptions.variable("ZONDA_RABBITMQ_MANAGEMENT_URL") else {
                throw ValidationError(
                    "Where is RabbitMQ's management? Give --management-url or set ZONDA_RABBITMQ_MANAGEMENT_URL")
            }
            return url
        }
    }
}

extension ConsumerCommand {
    /// `zonda consumer grant`.
    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a broker user that hears these zones of the database, or change what it hears.",
            discussion: """
                The consumer's AMQP address, with a password that is shown this once and kept nowhere but as the \
                broker's hash, is printed when the user is made. A consumer that is there keeps its password and hears \
                from now on the zones named, and no others: its connections are closed, bindings to other zones \
                removed. The zones need not exist yet.

                EXAMPLES
                  zonda consumer grant reports Notes Drafts
                  zonda consumer grant search --all-zones --database public
                """)

        @OptionGroup var global: GlobalOptions
        @OptionGroup var management: Management

        @Argument(help: "The consumer: lower-case letters, digits, - and _.")
        var name: String

        @Argument(help: "The zones, at most \(ConsumerGrant.maxZones).")
        var zones: [String] = []

        @Flag(help: "Every zone of the database, also those to come.")
        var allZones = false

        @Flag(help: "Give a consumer that is there a new password.")
        var newPassword = false

        @Option(
            help: """
                Do not ask the management: write the user to this file, for rabbitmqctl import_definitions. It gets a new \
                password.
                """)
        var definitions: String?

        func validate() throws {
            guard allZones != !zones.isEmpty else { throw ValidationError("Name zones, or give --all-zones") }
            guard Set(zones).count == zones.count else { throw ValidationError("A zone is named twice") }
        }

        func run() async throws {
            let url = try global.brokerURL()
            let amqp = try Self.amqp(url)
            let grant = try grant(operator: amqp.user)
            if let definitions { return try await export(grant, amqp, url, to: definitions) }
            let management = try management.url()
            try await global.withSession(isScoped: false) { session in
                try await BrokerAdministration.with(management, amqp) { administration in
                    let user = ConsumerUser(
                        administration: administration, name: grant.brokerUser, consumer: grant.consumer)
                    let isNew = try await administration.user(grant.brokerUser) == nil
                    let password = isNew || newPassword ? SecretText.random() : nil
                    let answer = try await save(grant, session)
                    try await user.make(grant, password: password)
                    show(answer, url: password.flatMap { Self.address(url, user: grant.brokerUser, password: $0) })
                }
            }
        }

        /// What the options say.
        ///
        /// - Throws: a `ValidationError`.
        func grant(operator name: String) throws -> ConsumerGrant {
            let scope = try global.scope()
            var body: [JSONValue.Member] = [
                .init("consumer", .string(self.name)), .init("container", .string(scope.container)),
                .init("environment", .string(scope.environment.rawValue)),
                .init("database", .string(scope.database.wireName)),
            ]
            if scope.database == .private {
                guard let user = scope.user else {
                    throw ValidationError("Whose private database? Give --user or set ZONDA_USER")
                }
                body.append(.init("user", .string(user)))
            }
            body.append(allZones ? .init("allZones", true) : .init("zones", .array(zones.map { .string($0) })))
            let consumer = try ConsumerCommand.name(self.name)
            body.append(.init("brokerUser", .string(consumer.brokerUser(of: name))))
            do {
                return try ConsumerGrant(.object(body))
            } catch {
                throw ValidationError(error.reason)
            }
        }

        private func save(_ grant: ConsumerGrant, _ session: BrokerSession) async throws -> JSONValue {
            try await session.ask(.consumersGrant, grant.json, limit: GlobalOptions.requestLimit)
        }

        /// Writes the user to a file instead of telling the broker.
        private func export(
            _ grant: ConsumerGrant, _ amqp: AMQPConfiguration, _ url: String, to file: String
        ) async throws {
            let password = SecretText.random()
            let text = ConsumerUser.definitions(grant, password: password, virtualHost: amqp.virtualHost)
            try await global.withSession(isScoped: false) { session in
                guard
                    FileManager.default.createFile(
                        atPath: file, contents: Data(text.encoded()), attributes: [.posixPermissions: 0o600])
                else { throw ProvisionError("\(file) cannot be written") }
                let answer = try await save(grant, session)
                show(answer, url: Self.address(url, user: grant.brokerUser, password: password))
                Console.report("for the broker: rabbitmqctl import_definitions \(file)")
            }
        }

        private func show(_ answer: JSONValue, url: String?) {
            guard global.json else {
                Console.report(ConsumerCommand.describe(answer))
                if let url { Console.print(url) }
                return
            }
            var members = answer.members ?? []
            if let url { members.append(.init("url", .string(url))) }
            Console.print(JSONValue.object(members).text)
        }

        /// The operator's address as the consumer's.
        static func address(_ url: String, user: String, password: String) -> String? {
            guard var parts = URLComponents(string: url) else { return nil }
            (parts.user, parts.password) = (user, password)
            return parts.string
        }

        fileprivate static func amqp(_ url: String) throws -> AMQPConfiguration {
            do {
                return try AMQPConfiguration(url: url)
            } catch let error as AMQPError {
                throw ValidationError(error.message)
            }
        }
    }

    /// `zonda consumer list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the consumers with what they were granted.",
            discussion: """
                EXAMPLE
                  zonda consumer list --json
                """)

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            try await global.withSession(isScoped: false) { session in
                var after: String?
                repeat {
                    let answer = try await session.ask(
                        .consumersList, .object(having: [("after", after.map { .string($0) })]),
                        limit: GlobalOptions.requestLimit)
                    for consumer in answer["consumers"]?.array ?? [] {
                        _ = global.show(consumer, line: ConsumerCommand.describe)
                    }
                    after = answer["after"]?.string
                } while after != nil
            }
        }
    }

    /// `zonda consumer revoke`.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a consumer with its broker user, its connections and its queues.",
            discussion: """
                What waited in the queues is gone. A consumer that is not there is removed all the same: what is left of \
                it goes.

                EXAMPLE
                  zonda consumer revoke reports
                """)

        @OptionGroup var global: GlobalOptions
        @OptionGroup var management: Management

        @Argument(help: "The consumer.")
        var name: String

        func run() async throws {
            let amqp = try Grant.amqp(try global.brokerURL())
            let management = try management.url()
            let consumer = try ConsumerCommand.name(name)
            try await global.withSession(isScoped: false) { session in
                let answer = try await session.ask(
                    .consumersRevoke, ["consumer": .string(name)], limit: GlobalOptions.requestLimit)
                let queues = try await BrokerAdministration.with(management, amqp) { administration in
                    try await ConsumerUser(
                        administration: administration, name: consumer.brokerUser(of: amqp.user), consumer: consumer
                    ).remove()
                }
                _ = global.show(.object((answer.members ?? []) + [.init("queues", .int(Int64(queues)))])) { _ in
                    "\(name)  revoked"
                }
            }
        }
    }

    /// A consumer's name as an argument.
    ///
    /// - Throws: a `ValidationError` that tells what a name is.
    static func name(_ argument: String) throws -> ConsumerName {
        do {
            return try ConsumerName(validating: argument)
        } catch {
            throw ValidationError(error.reason)
        }
    }

    /// `reports  iCloud.org.example.demo  development  private  _0…1  Notes, Drafts`.
    static func describe(_ consumer: JSONValue) -> String {
        let zones = consumer["zones"]?.array?.compactMap(\.string).joined(separator: ", ") ?? "every zone"
        let place = ["consumer", "container", "environment", "database", "user"].compactMap { consumer[$0]?.string }
        return (place + [zones]).joined(separator: "  ")
    }
}
