package import ArgumentParser
package import CloudKitModel
import Foundation

/// The options of every command. Environment variables supply the values of options that are omitted.
package struct GlobalOptions: ParsableArguments {
    @Option(help: "The container. Default: $ZONDA_CONTAINER.")
    package var container: String?

    @Option(help: "The environment: development or production. Default: $ZONDA_ENVIRONMENT, or else development.")
    package var environment: EnvironmentName?

    @Option(help: "The database: public, private or shared. Default: $ZONDA_DATABASE, or else private.")
    package var database: DatabaseScope?

    @Option(help: "The acting user: '_' followed by 32 hexadecimal digits. Default: $ZONDA_USER.")
    package var user: String?

    @Option(
        help: """
            The broker's URL, amqp://USER:PASSWORD@HOST:PORT/VHOST. Default: $ZONDA_AMQP_URL. If the \
            URL contains no password, the one in the file $ZONDA_SECRETS_DIRECTORY/amqp-password is used.
            """)
    var amqpURL: String?

    @Flag(help: "Print results as JSON, one object per line.")
    package var json = false

    /// Creates options whose values the parser sets.
    package init() {}

    /// The broker's URL.
    ///
    /// - Throws: a `ValidationError` if it is missing.
    package func brokerURL() throws -> String {
        guard let url = amqpURL ?? Self.variable("ZONDA_AMQP_URL") else {
            throw ValidationError(
                "The broker's URL is missing: specify --amqp-url or set ZONDA_AMQP_URL (try: . .zonda/env)")
        }
        return Self.adding(try Self.secret("amqp-password"), to: url)
    }

    /// Returns a secret from the secrets folder; nil if the folder or the secret does not exist.
    private static func secret(_ name: String) throws -> String? {
        guard let folder = variable("ZONDA_SECRETS_DIRECTORY") else { return nil }
        let file = "\(folder)/\(name)"
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        guard let text = SecretFile.text(at: file) else {
            throw ValidationError("ZONDA_SECRETS_DIRECTORY: \(file) cannot be read")
        }
        return text
    }

    /// Returns `url` with `password` added. A URL that already contains a password or has no user is returned
    /// unchanged.
    private static func adding(_ password: String?, to url: String) -> String {
        guard let password, var parts = URLComponents(string: url), parts.user != nil, parts.password == nil else {
            return url
        }
        parts.password = password
        return parts.string ?? url
    }

    /// Returns the container, environment, database and user of the command.
    ///
    /// - Throws: a `ValidationError` that names what is missing or invalid.
    package func scope() throws -> RequestScope {
        guard let container = container ?? Self.variable("ZONDA_CONTAINER") else {
            throw ValidationError("The container is missing: specify --container or set ZONDA_CONTAINER")
        }
        let environment = try environment ?? Self.value("ZONDA_ENVIRONMENT") ?? .development
        let database = try database ?? Self.value("ZONDA_DATABASE") ?? .private
        return RequestScope(
            container: container, environment: environment, database: database,
            user: user ?? Self.variable("ZONDA_USER"))
    }

    /// Returns the value of an environment variable; nil if it is not set or is empty.
    package static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func value<Value: ExpressibleByArgument>(_ name: String) throws -> Value? {
        guard let text = variable(name) else { return nil }
        guard let value = Value(argument: text) else {
            throw ValidationError(
                "\(name) is '\(text)', but must be one of: \(Value.allValueStrings.joined(separator: ", "))")
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
