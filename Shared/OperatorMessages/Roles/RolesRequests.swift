package import CloudKitModel
package import ServiceMessages

/// `roles.list`: lists the custom roles that are assigned to users in an environment.
package struct RolesListRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.rolesList
    package static let wrongKinds = WrongKinds.ignored

    /// The container.
    package var container: String
    /// The environment.
    package var environment: EnvironmentName

    /// Creates a request.
    package init(container: String, environment: EnvironmentName) {
        self.container = container
        self.environment = environment
    }

    /// The roles.
    package struct Answer: Codable, Sendable {
        /// The roles and their users.
        package var roles: [RoleMembership]

        /// Creates an answer.
        package init(roles: [RoleMembership]) { self.roles = roles }
    }
}

/// `roles.assign`: assigns a role to users, or revokes it from them.
package struct RolesAssignRequest: OperatorRequest {
    package typealias Answer = RoleMembership
    package static let operation = ServiceMessages.Operation.rolesAssign
    package static let wrongKinds = WrongKinds.ignored

    /// The container.
    package var container: String
    /// The environment.
    package var environment: EnvironmentName
    /// The role.
    package var role: String
    /// The record names of the users.
    package var users: [String]
    /// Whether to assign the role (true) or revoke it (false).
    package var assigned: Bool

    /// Creates a request.
    package init(container: String, environment: EnvironmentName, role: String, users: [String], assigned: Bool) {
        self.container = container
        self.environment = environment
        self.role = role
        self.users = users
        self.assigned = assigned
    }
}

/// A custom role and the users who have it.
package struct RoleMembership: Codable, Sendable {
    /// The role.
    package var role: String
    /// The record names of the users.
    package var users: [String]

    /// Creates a membership.
    package init(role: String, users: [String]) {
        self.role = role
        self.users = users
    }
}
