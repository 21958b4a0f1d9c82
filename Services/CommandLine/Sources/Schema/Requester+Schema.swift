import CloudKitModel
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// What operators ask about schemas and roles.
extension Requester {
    /// `{schema, version}` of an environment.
    func exportedSchema(
        of environment: EnvironmentName, container: String
    ) async throws(RequestFailure) -> JSONValue {
        try await ask(.schemaExport, Self.place(container, environment), limit: .requestLimit)
    }

    /// Makes `text` the schema of development; `{version, changes}`.
    func importSchema(_ text: String, container: String) async throws(RequestFailure) -> JSONValue {
        try await ask(
            .schemaImport, ["container": .string(container), "schema": .string(text)],
            limit: .requestLimit)
    }

    /// Brings what development has to production, or tells what that would change; `{version, changes}`.
    func deploySchema(container: String, isDryRun: Bool) async throws(RequestFailure) -> JSONValue {
        try await ask(
            .schemaDeploy, ["container": .string(container), "dryRun": .bool(isDryRun)],
            limit: .requestLimit)
    }

    /// Deletes development's records and gives it production's schema; `{version, changes}`.
    func resetSchema(container: String) async throws(RequestFailure) -> JSONValue {
        try await ask(.schemaReset, ["container": .string(container)], limit: .requestLimit)
    }

    /// `{version, recordTypes, fields, indexes, warnings}` of an environment.
    func schemaStatus(of environment: EnvironmentName, container: String) async throws(RequestFailure) -> JSONValue {
        try await ask(.schemaStatus, Self.place(container, environment), limit: .requestLimit)
    }

    /// `{roles}` of an environment, each with its users.
    func roles(of environment: EnvironmentName, container: String) async throws(RequestFailure) -> JSONValue {
        try await ask(.rolesList, Self.place(container, environment), limit: .requestLimit)
    }

    /// Gives `role` to `users` or takes it from them; `{role, users}`.
    func assignRole(
        _ role: String, to users: [String], isAssigned: Bool, in environment: EnvironmentName, container: String
    ) async throws(RequestFailure) -> JSONValue {
        let body: JSONValue = [
            "container": .string(container), "environment": .string(environment.rawValue), "role": .string(role),
            "users": .array(users.map { .string($0) }), "assigned": .bool(isAssigned),
        ]
        return try await ask(.rolesAssign, body, limit: .requestLimit)
    }

    private static func place(_ container: String, _ environment: EnvironmentName) -> JSONValue {
        ["container": .string(container), "environment": .string(environment.rawValue)]
    }
}
