internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// `roles.list` and `roles.assign`, for operators: the members of the schema's custom roles.
struct RolesOperation: Sendable {
    /// The maximum number of members of a role. It is limited because every instance keeps all members in memory.
    private static let maxMembers = 10_000

    let pool: PostgresPool
    let schema: SchemaStore
    let ledger: RequestLedger

    /// `{container, environment}` → `{roles: [{role, users}]}`.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let schema = try await pool.withConnection { connection in
            let environment = try await body.environment(on: connection)
            return try await self.schema.load(environment, on: connection)
        }
        return Answer { writer in
            writer.key("roles")
            writer.array(schema.members) { writer, member in
                writer.object { writer in
                    writer.member("role", member.role)
                    writer.member("users", member.users)
                }
            }
        }
    }

    /// `{container, environment, role, users, assigned}` → `{role, users}`: the users who have the role afterwards.
    func assign(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        guard let role = body["role"]?.string else { throw ServerError.missingKey("role") }
        guard let isAssigned = body["assigned"]?.bool else { throw ServerError.missingKey("assigned") }
        let users = try Self.users(in: body)
        return try await ledger.once(request, environment: 0) { connection in
            let environment = try await body.environment(on: connection)
            let roles = RoleTable(environment)
            // A change of roles changes the schema's version, so that every instance reads the schema again.
            let found = try await connection.pipeline([SchemaLock.exclusive(environment), roles.find(role)])
            guard found[1].count == 1 else { throw ServerError.roleNotFound(role) }
            let results = try await connection.pipeline([
                isAssigned ? roles.assign(role, to: users) : roles.withdraw(role, from: users),
                EnvironmentTable.raiseVersion(environment), roles.members(of: role),
            ])
            let members = RoleTable.members(results[2])
            guard members.count <= Self.maxMembers else {
                throw ServerError.tooMany("users of a role", limit: Self.maxMembers, actual: members.count)
            }
            return Answer { writer in
                writer.member("role", role)
                writer.member("users", members)
            }
        }
    }

    private static func users(in body: JSONValue) throws(ServerError) -> [String] {
        guard let elements = body["users"]?.array else { throw .missingKey("users") }
        var users: [String] = []
        for element in elements {
            guard let name = element.string else { throw .wrongKind("users", expected: "a list of user record names") }
            do {
                users.append(try UserName(validating: name).rawValue)
            } catch {
                throw ServerError(error, field: "users")
            }
        }
        return users
    }
}

extension ServerError {
    fileprivate static func roleNotFound(_ role: String) -> ServerError {
        ServerError(
            .roleNotFound, "The schema has no role '\(role)'", field: "role")
    }
}
