import CloudKitModel
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Operators' requests about schemas and roles.
extension Requester {
    /// Requests the schema of an environment: `{schema, version}`.
    func exportedSchema(
        of environment: EnvironmentName, container: String
    ) async throws(RequestFailure) -> JSONValue {
        try await ask(.schemaExport, Self.place(container, environment), limit: .requestLimit)
    }

    /// Replaces the schema of development with `text`; returns `{version, changes}`.
    func importSchema(_ text: String, container: String) async throws(RequestFailure) -> JSONValue {
        try await ask(
            .schemaImport, ["container": .string(container), "schema": .string(text)],
            limit: .requestLimit)
    }

    /// Deploys the schema of development to production, or only plans it; returns `{version, changes}`.
    func deploySchema(container: String, isDryRun: Bool) async throws(RequestFailure) -> JSONValue {
        try await ask(
            .schemaDeploy, ["container": .string(container), "dryRun": .bool(isDryRun)],
            limit: .requestLimit)
    }

    /// Deletes the records of development and resets its schema to that of production; returns `{version, changes}`.
    func resetSchema(container: String) async throws(RequestFailure) -> JSONValue {
        try await ask(.schemaReset, ["container": .string(container)], limit: .requestLimit)
    }

    /// Requests the status of an environment: `{version, recordTypes, fields, indexes, warnings}`.
    func schemaStatus(of environment: EnvironmentName, container: String) async throws(RequestFailure) -> JSONValue {
        try await ask(.schemaStatus, Self.place(container, environment), limit: .requestLimit)
    }

    /// Requests the roles of an environment with their users: `{roles}`.
    func roles(of environment: EnvironmentName, container: String) async throws(RequestFailure) -> JSONValue {
        try await ask(.rolesList, Self.place(container, environment), limit: .requestLimit)
    }

    /// Assigns `role` to `users`, or revokes it from them; returns `{role, users}`.
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
