import ArgumentParser
import CloudKitModel
import CloudKitSchema
internal import CloudKitWire
import CommandLineSession

/// One side of a comparison: an environment's schema, or a file.
enum SchemaSource: Sendable, Equatable {
    case environment(EnvironmentName)
    case file(String)

    /// The schema; a round trip for an environment's.
    ///
    /// - Parameter requester: who is asked for an environment's schema; nil if it is a file.
    /// - Throws: a ``SchemaFault`` or ``RequestFailure``.
    func definition(_ requester: (any Requester)?, container: String) async throws -> SchemaDefinition {
        switch self {
        case .file(let path): return try await SchemaFile(path: path).definition()
        case .environment(let environment):
            guard let requester else { preconditionFailure("an environment's schema is asked for without a session") }
            let answer = try await requester.exportedSchema(of: environment, container: container)
            return try SchemaFile(name: environment.rawValue, text: answer["schema"]?.string ?? "").definition()
        }
    }

    /// Whether a service has to be asked.
    var isEnvironment: Bool { self == .environment(.development) || self == .environment(.production) }
}

extension SchemaSource: ExpressibleByArgument {
    /// `development` and `production` are environments, everything else is a path; `./production` is one too.
    init(argument: String) { self = EnvironmentName(rawValue: argument).map(Self.environment) ?? .file(argument) }
}
