import ArgumentParser
import CloudKitModel
import CloudKitSchema
import CommandLineSession
import OperatorMessages

/// One side of a comparison: an environment's schema, or a file.
enum SchemaSource: Sendable, Equatable {
    case environment(EnvironmentName)
    case file(String)

    /// Returns the schema. Reading the schema of an environment takes a round trip.
    ///
    /// - Parameter requester: used for the schema of an environment; may be nil for a file.
    /// - Throws: a ``SchemaFault`` or ``RequestFailure``.
    func definition(_ requester: (any Requester)?, container: String) async throws -> SchemaDefinition {
        switch self {
        case .file(let path): return try await SchemaFile(path: path).definition()
        case .environment(let environment):
            guard let requester else { preconditionFailure("the schema of an environment requires a session") }
            let answer = try await requester.ask(SchemaExportRequest(container: container, environment: environment))
            return try SchemaFile(name: environment.rawValue, text: answer.schema).definition()
        }
    }

    /// Whether the source is an environment rather than a file.
    var isEnvironment: Bool { self == .environment(.development) || self == .environment(.production) }
}

extension SchemaSource: ExpressibleByArgument {
    /// Parses `development` and `production` as environments, and everything else, such as `./production`, as a path.
    init(argument: String) { self = EnvironmentName(rawValue: argument).map(Self.environment) ?? .file(argument) }
}
