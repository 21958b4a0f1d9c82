internal import CloudKitModel
internal import OperatorMessages
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// `roles.list` and `roles.assign`, for operators: the members of the schema's custom roles.
struct RolesOperation: Sendable {
    /// The maximum number of members in a role. It is limited because every instance keeps all members in memory.
    private static let maxMembers = 10_000

    let pool: PostgresPool
    let schema: SchemaStore
    let ledger: RequestLedger

    /// Lists the roles of an environment with their members.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let body = try RolesListRequest(request)
        let schema = try await pool.withConnection { connection in
            let environments = try await ContainerEnvironments.find(body.container, on: connection)
            return try await self.schema.load(environments[body.environment], on: connection)
        }
        return Answer(
            RolesListRequest.Answer(roles: schema.members.map { RoleMembership(role: $0.role, users: $0.users) }))
    }

    /// Assigns a role to users or revokes it, and answers with the users who then have the role.
    func assign(_ request: OpenedRequest) async throws -> Answer {
        let body = try RolesAssignRequest(request)
        let (role, users) = (body.role, try Self.validated(body.users))
        return try await ledger.once(request, environment: 0) { connection in
            let environments = try await ContainerEnvironments.find(body.container, on: connection)
            let environment = environments[body.environment]
            let roles = RoleTable(environment)
            // A role change increments the schema's version, so that every instance reads the schema again.
            let found = try await connection.pipeline([SchemaLock.exclusive(environment), roles.find(role)])
            guard found[1].count == 1 else { throw ServerError.roleNotFound(role) }
            let results = try await connection.pipeline([
                body.assigned ? roles.assign(role, to: users) : roles.withdraw(role, from: users),
                EnvironmentTable.raiseVersion(environment), roles.members(of: role),
            ])
            let members = RoleTable.members(results[2])
            guard members.count <= Self.maxMembers else {
                throw ServerError.tooMany("users of a role", limit: Self.maxMembers, actual: members.count)
            }
            return Answer(RoleMembership(role: role, users: members))
        }
    }

    private static func validated(_ users: [String]) throws(ServerError) -> [String] {
        do {
            return try users.map { user throws(ValidationError) in try UserName(validating: user).rawValue }
        } catch {
            throw ServerError(error, field: "users")
        }
    }
}

extension ServerError {
    fileprivate static func roleNotFound(_ role: String) -> ServerError {
        ServerError(.roleNotFound, "The schema has no role '\(role)'", field: "role")
    }
}
