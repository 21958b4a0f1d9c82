package import CloudKitModel
package import CloudKitSchema
package import RecordStorage
package import ServiceMessages

/// The rules that determine what one user is allowed to do with records (semantics 12). They are checked whenever a
/// record is created, changed or read.
///
/// Grants apply only in the public database, because a private database belongs to its owner. A user has the
/// permissions of all the user's roles: `_world`, `_icloud` if signed in, `_creator` for the user's own records, and
/// the custom roles.
///
/// User records (type `Users`) have their own rules in both databases (semantics 1.4). A user record has the name of
/// its user. Only that user is allowed to write it, and everyone is allowed to read it.
package struct AccessRules: Sendable {
    private let user: String
    private let isPublic: Bool
    private let customRoles: Set<String>

    /// Creates the rules for `user`.
    ///
    /// - Parameter customRoles: the user's custom roles in the environment.
    package init(user: String, isPublic: Bool, customRoles: Set<String> = []) {
        self.user = user
        self.isPublic = isPublic
        self.customRoles = customRoles
    }

    /// Creates the rules for the user of a request.
    package init(_ context: RequestContext, customRoles: Set<String>) {
        self.init(user: context.user, isPublic: context.scope == .public, customRoles: customRoles)
    }

    private var isSignedIn: Bool { user != RequestContext.world }

    /// Returns whether `name` is the name of the user's own user record, which exists even if it was never saved.
    package func isOwnUserRecord(_ name: RecordName) -> Bool {
        isSignedIn && name == RecordName(unchecked: user)
    }

    /// Returns whether the user has `permission` for a record.
    ///
    /// - Parameters:
    ///   - type: the type of the record; nil if the type does not exist yet, in which case the grants for inferred
    ///     types apply.
    ///   - creator: the creator of the record; nil if the record does not exist yet.
    package func allows(_ permission: Permissions, _ type: RecordTypeSchema?, name: RecordName, creator: String?)
        -> Bool
    {
        if type?.name == RecordTypeDefinition.users.name { return permission == .read || isOwnUserRecord(name) }
        guard isPublic else { return true }
        guard let type else {
            return GrantDefinition.ofInferredTypes.contains { grant in
                grant.permissions.contains(permission) && has(grant.role, creator: creator)
            }
        }
        return type.grants.contains { $0.value.contains(permission) && has($0.key, creator: creator) }
    }

    /// Returns whether a record is visible to the user: its type is not hidden, and the user is allowed to read it.
    package func shows(_ record: StoredRecord, of type: RecordTypeSchema?) -> Bool {
        type?.isHidden != true && allows(.read, type, name: record.name, creator: record.created.user)
    }

    /// Returns the error for a user who lacks `permission` for a record; nil if the user has it.
    package func denial(
        of permission: Permissions, _ type: RecordTypeSchema?, typeName: String, name: RecordName, creator: String?
    ) -> ServerError? {
        guard !allows(permission, type, name: name, creator: creator) else { return nil }
        if !isSignedIn, permission != .read { return .authenticationRequired() }
        return .notPermitted(permission.keywords.joined(separator: " "), recordType: typeName)
    }

    private func has(_ role: String, creator: String?) -> Bool {
        switch SystemRole(rawValue: role) {
        case .world: true
        case .icloud: isSignedIn
        case .creator: isSignedIn && creator == user
        case nil: customRoles.contains(role)
        }
    }
}

extension ServerError {
    /// Returns the error for a permission that the user lacks. Clients recognize it by the first words of its reason.
    static func notPermitted(_ permission: String, recordType: String) -> ServerError {
        .accessDenied("\(permission) operation not permitted on record type '\(recordType)'")
    }

    /// Returns the error for a write by a user who is not signed in. The text is the same as for an unauthenticated
    /// request to a private database.
    static func authenticationRequired() -> ServerError {
        ServerError(
            .authenticationRequired, "request needs authorization",
            field: Header.user)
    }
}
