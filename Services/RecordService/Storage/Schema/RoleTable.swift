package import PostgresClient

/// The SQL statements for the custom roles of an environment and their members.
package struct RoleTable: Sendable {
    private let environment: EnvironmentRow

    /// Creates the statements for the roles of an environment.
    package init(_ environment: EnvironmentRow) { self.environment = environment }

    /// Checks whether a role exists. The result has one row if the role exists; otherwise, no rows.
    package func find(_ role: String) -> PostgresCall {
        PostgresCall(
            "select from record.role where environment = $1 and name = $2", [.int4(environment.rawValue), .text(role)])
    }

    /// Assigns a role to users.
    package func assign(_ role: String, to users: [String]) -> PostgresCall {
        PostgresCall(
            """
            insert into record.role_member (environment, role, user_name)
            select $1, $2, unnest($3::text[]) on conflict do nothing
            """, [.int4(environment.rawValue), .text(role), .textArray(users)])
    }

    /// Revokes a role from users.
    package func withdraw(_ role: String, from users: [String]) -> PostgresCall {
        PostgresCall(
            "delete from record.role_member where environment = $1 and role = $2 and user_name = any($3)",
            [.int4(environment.rawValue), .text(role), .textArray(users)])
    }

    /// Reads the users who have a role, sorted by name; ``members(_:)`` decodes them.
    package func members(of role: String) -> PostgresCall {
        PostgresCall(
            "select user_name from record.role_member where environment = $1 and role = $2 order by user_name",
            [.int4(environment.rawValue), .text(role)])
    }

    /// Returns the users that ``members(of:)`` found.
    package static func members(_ result: PostgresResult) -> [String] { result.map { $0.string(0) } }
}
