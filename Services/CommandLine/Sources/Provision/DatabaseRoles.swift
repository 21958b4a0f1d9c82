import CommandLineSession
import Logging
import PostgresClient
import ServiceMessages

/// A database role for each service, which owns its schema and nothing else; the record service's may look up names in the
/// asset service's schema, which lets it refer to the one table that the asset service grants it.
struct DatabaseRoles: Sendable {
    /// The deployment's name: a service's role is `NAME_SERVICE`.
    var deployment: String
    /// Of the services.
    var secrets: DeploymentSecrets

    /// Makes what is missing and sets the passwords. Everything may be there already, also made by one role for all.
    ///
    /// - Parameter connection: as an administrator: the database's owner that may make roles, or a superuser.
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

    /// For the record service's indexes, those of which wait that need what the server's packages lack.
    private static let extensions = ["btree_gin", "btree_gist", "cube", "pg_trgm"].map { name in
        """
        do $do$ begin
            create extension if not exists \(name) with schema \(ServiceName.record.schema);
        exception when undefined_file or feature_not_supported then null;
        end $do$;
        """
    }.joined(separator: "\n")

    private func role(of service: ServiceName) -> String { "\(deployment)_\(service.rawValue)" }

    /// Filled by the server's `format`: the role, the schema, the password's verifier.
    private static let statements = [
        """
        do $do$ begin
            create role %1$I;
        exception when duplicate_object then null;
        end $do$
        """,
        "alter role %1$I login password %3$L",
        // Who may not do everything has to be a member to hand over a schema; and an operator looks into all of them.
        "grant %1$I to current_user",
        "create schema if not exists %2$I authorization %1$I",
        "alter schema %2$I owner to %1$I",
        // What was made by another role. Sequences of columns follow their tables.
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
