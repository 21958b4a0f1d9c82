import CommandLineSession
import Logging
import PostgresClient
import ServiceMessages

/// The database roles of the services. Each owns its schema and nothing else. The record service's role is also allowed
/// to use the asset service's schema, so that it can refer to the one table on which the asset service grants it
/// `REFERENCES`.
struct DatabaseRoles: Sendable {
    /// The deployment's name: a service's role is `NAME_SERVICE`.
    var deployment: String
    /// The secrets, which contain the roles' passwords.
    var secrets: DeploymentSecrets

    /// Creates missing roles and schemas, sets the passwords, and transfers existing schemas and tables to the roles.
    ///
    /// - Parameter connection: a connection of the database's owner, who must be allowed to create roles, or of a
    ///   superuser.
    /// - Throws: `PostgresError`, ``ProvisionError``.
    func make(on connection: PostgresConnection) async throws {
        for service in ServiceName.allCases {
            let verifier = try ScramVerifier.verifier(of: secrets.password(for: .postgres, of: service))
            for statement in Self.statements {
                try await run(
                    statement, [role(of: service), service.schema, verifier], on: connection)
            }
        }
        try await run(
            "grant usage on schema %2$I to %1$I", [role(of: .record), ServiceName.asset.schema], on: connection)
        try await connection.execute(script: Self.extensions)
    }

    /// The extensions that the record service's indexes need. If the server lacks an extension, the indexes that need
    /// it are not built.
    private static let extensions = ["btree_gin", "btree_gist", "cube", "pg_trgm"].map { name in
        """
        do $do$ begin
            create extension if not exists \(name) with schema \(ServiceName.record.schema);
        exception when undefined_file or feature_not_supported then null;
        end $do$;
        """
    }.joined(separator: "\n")

    private func role(of service: ServiceName) -> String { "\(deployment)_\(service.rawValue)" }

    /// Templates for the server's `format` function. The arguments are the role, the schema, and the password's
    /// verifier.
    private static let statements = [
        """
        do $do$ begin
            create role %1$I;
        exception when duplicate_object then null;
        end $do$
        """,
        "alter role %1$I login password %3$L",
        // An owner who is not a superuser must be a member of a role to transfer a schema to it. As a member of all
        // roles, the operator can also read all schemas.
        "grant %1$I to current_user",
        "create schema if not exists %2$I authorization %1$I",
        "alter schema %2$I owner to %1$I",
        // Transfers tables that belong to another role. Sequences that belong to a table's columns are transferred with
        // the table.
        """
        do $do$ declare made regclass; begin
            for made in
                select class.oid from pg_class class
                where class.relnamespace = %2$L::regnamespace and class.relkind in ('r', 'p')
                    and class.relowner <> %1$L::regrole
            loop
                execute format('alter table %%s owner to %%I', made, %1$L);
            end loop;
        end $do$
        """,
    ]

    private func run(
        _ statement: String, _ arguments: [String], on connection: PostgresConnection
    ) async throws {
        let filled = try await connection.query(
            PostgresStatement("select format($1, variadic $2::text[])", isPrepared: false),
            [.text(statement), .textArray(arguments)])
        try await connection.execute(script: filled[0].string(0))
    }
}
