import AMQPClient
import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import Foundation
import OperatorMessages
import ServiceMessages

/// `zonda consumer grant`.
struct ConsumerGrantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant",
        abstract: "Create a consumer for zones in the database, or change an existing consumer's zones.",
        discussion: """
            Prints the AMQP address of a new consumer. The address contains a password that is shown only once, \
            because the broker stores only its hash. An existing consumer keeps its password, but its zones are \
            replaced with the specified ones: its connections are closed, and its bindings to other zones are removed. \
            The zones do not have to exist yet.

            EXAMPLES
              zonda consumer grant reports Notes Drafts
              zonda consumer grant search --all-zones --database public
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var management: ManagementOptions

    @Argument(help: "The consumer's name: lower-case letters, digits, - and _.")
    var name: String

    @Argument(help: "The zones' names; at most \(ConsumerGrant.maxZones).")
    var zones: [String] = []

    @Flag(help: "Grant all zones of the database, including future ones.")
    var allZones = false

    @Flag(help: "Set a new password for an existing consumer.")
    var newPassword = false

    @Option(
        help: """
            Write the user to this file, for rabbitmqctl import_definitions, instead of using the management API. The \
            user gets a new password.
            """)
    var definitions: String?

    func validate() throws {
        guard allZones != !zones.isEmpty else { throw ValidationError("Specify either zones or --all-zones") }
        guard Set(zones).count == zones.count else { throw ValidationError("A zone is specified twice") }
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
                let answer = try await session.ask(ConsumersGrantRequest(grant))
                try await user.make(grant, password: password)
                show(answer, url: password.flatMap { Self.address(url, user: grant.brokerUser, password: $0) })
            }
        }
    }

    /// Returns the grant that the options specify.
    ///
    /// - Throws: a `ValidationError`.
    func grant(operator name: String) throws -> ConsumerGrant {
        let scope = try global.scope()
        guard let owner = scope.database == .private ? scope.user : ZoneAddress.publicOwner else {
            throw ValidationError("A private database requires a user: specify --user or set ZONDA_USER")
        }
        let consumer = try ConsumerCommand.name(self.name)
        let grant = ConsumerGrant(
            consumer: consumer, brokerUser: consumer.brokerUser(of: name), container: scope.container,
            environment: scope.environment, scope: scope.database, owner: owner, zones: allZones ? .all : .named(zones))
        do {
            // Decoding the grant checks its names.
            return try ConsumerGrant(grant.json)
        } catch {
            throw ValidationError(error.reason)
        }
    }

    /// Writes the user to a file instead of creating it in the broker.
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
            let answer = try await session.ask(ConsumersGrantRequest(grant))
            show(answer, url: Self.address(url, user: grant.brokerUser, password: password))
            Console.report("To create the user in the broker, run: rabbitmqctl import_definitions \(file)")
        }
    }

    private func show(_ answer: GrantedConsumer, url: String?) {
        guard global.json else {
            Console.report(ConsumerCommand.describe(answer))
            if let url { Console.print(url) }
            return
        }
        var members = JSONValue(encoding: answer).members ?? []
        if let url { members.append(.init("url", .string(url))) }
        Console.print(JSONValue.object(members).text)
    }

    /// Returns the broker's URL `url` with the consumer's credentials instead of the operator's.
    static func address(_ url: String, user: String, password: String) -> String? {
        guard var parts = URLComponents(string: url) else { return nil }
        (parts.user, parts.password) = (user, password)
        return parts.string
    }

    /// Parses the broker's URL.
    ///
    /// - Throws: a `ValidationError` if it is invalid.
    static func amqp(_ url: String) throws -> AMQPConfiguration {
        do throws(AMQPError) {
            return try AMQPConfiguration(url: url)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
