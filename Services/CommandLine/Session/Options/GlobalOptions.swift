package import ArgumentParser
package import CloudKitModel
import Foundation

/// The options that every command has. What is not given comes from the environment.
package struct GlobalOptions: ParsableArguments {
    @Option(help: "The container. Default: $ZONDA_CONTAINER.")
    package var container: String?

    @Option(help: "development or production. Default: $ZONDA_ENVIRONMENT, else development.")
    package var environment: EnvironmentName?

    @Option(help: "public, private or shared. Default: $ZONDA_DATABASE, else private.")
    package var database: DatabaseScope?

    @Option(help: "The acting user, '_' and 32 hexadecimal digits. Default: $ZONDA_USER.")
    package var user: String?

    @Option(
        help: """
            The broker, amqp://USER:PASSWORD@HOST:PORT/VHOST. Default: $ZONDA_AMQP_URL. The password may be in the file \
            amqp-password of the folder $ZONDA_SECRETS_DIRECTORY.
            """)
    var amqpURL: String?

    @Flag(help: "Print results as JSON, one object a line.")
    package var json = false

    /// Options without values, to be filled by the parser.
    package init() {}

    /// Where the broker is.
    ///
    /// - Throws: a `ValidationError` when nobody says.
    package func brokerURL() throws -> String {
        guard let url = amqpURL ?? Self.variable("ZONDA_AMQP_URL") else {
            throw ValidationError("Where is the broker? Give --amqp-url or set ZONDA_AMQP_URL (try: . .zonda/env)")
        }
        return Self.adding(try Self.secret("amqp-password"), to: url)
    }

    /// A secret of the folder, if that has it.
    private static func secret(_ name: String) throws -> String? {
        guard let folder = variable("ZONDA_SECRETS_DIRECTORY") else { return nil }
        let file = "\(folder)/\(name)"
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        guard let text = SecretFile.text(at: file) else {
            throw ValidationError("ZONDA_SECRETS_DIRECTORY: \(file) cannot be read")
        }
        return text
    }

    /// The address with a password, unless it has one.
    private static func adding(_ password: String?, to url: String) -> String {
        guard let password, var parts = URLComponents(string: url), parts.user != nil, parts.password == nil else {
            return url
        }
        parts.password = password
        return parts.string ?? url
    }

    /// Where and for whom the command works.
    ///
    /// - Throws: a `ValidationError` that names the option and the variable.
    package func scope() throws -> RequestScope {
        guard let container = container ?? Self.variable("ZONDA_CONTAINER") else {
            throw ValidationError("Which container? Give --container or set ZONDA_CONTAINER")
        }
        let environment = try environment ?? Self.value("ZONDA_ENVIRONMENT") ?? .development
        let database = try database ?? Self.value("ZONDA_DATABASE") ?? .private
        return RequestScope(
            container: container, environment: environment, database: database,
            user: user ?? Self.variable("ZONDA_USER"))
    }

    /// The value of an environment variable; an empty one counts as not set.
    package static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func value<Value: ExpressibleByArgument>(_ name: String) throws -> Value? {
        guard let text = variable(name) else { return nil }
        guard let value = Value(argument: text) else {
            throw ValidationError(
                "\(name) is '\(text)', which is none of: \(Value.allValueStrings.joined(separator: ", "))")
        }
        return value
    }
}

extension EnvironmentName: ExpressibleByArgument {}

extension DatabaseScope: ExpressibleByArgument {
    package init?(argument: String) { self.init(wireName: argument) }
    package static var allValueStrings: [String] { allCases.map(\.wireName) }
    package static var allValueDescriptions: [String: String] { [:] }
}

extension RecordOperation.Kind: ExpressibleByArgument {}
