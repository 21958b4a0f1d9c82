package import CloudKitModel
package import CloudKitSchema
package import RecordStorage
package import ServiceMessages

/// What one user may do with records (semantics 12): a value, asked before every create, change and read.
///
/// Grants count in the public database only; a private one is its owner's. A user's rights are the union over the roles
/// that the user has: `_world`, signed in `_icloud`, for one's own records `_creator`, and the custom roles.
///
/// User records (type `Users`) have rules of their own in both databases (semantics 1.4): named by their user, written
/// by nobody else, read by everybody.
package struct AccessRules: Sendable {
    private let user: String
    private let isPublic: Bool
    private let customRoles: Set<String>

    /// The rules for `user`.
    ///
    /// - Parameter customRoles: those of the environment's roles that the user was assigned.
    package init(user: String, isPublic: Bool, customRoles: Set<String> = []) {
        self.user = user
        self.isPublic = isPublic
        self.customRoles = customRoles
    }

    /// The rules for whoever makes a request.
    package init(_ context: RequestContext, customRoles: Set<String>) {
        self.init(user: context.user, isPublic: context.scope == .public, customRoles: customRoles)
    }

    private var isSignedIn: Bool { user != RequestContext.world }

    /// Whether the record is the user's own, which exists without having been made.
    package func isOwnUserRecord(_ name: RecordName) -> Bool {
        isSignedIn && name == RecordName(unchecked: user)
    }

    /// Whether the user may do `permission` with a record.
    ///
    /// - Parameters:
    ///   - type: nil: one that is yet to be learnt, which everybody will be able to use.
    ///   - creator: the record's; nil: there is no record yet, and nobody is its creator.
    package func allows(_ permission: Permissions, _ type: RecordTypeSchema?, name: RecordName, creator: String?)
        -> Bool
    {
        if type?.name == RecordTypeDefinition.users.name { return permission == .read || isOwnUserRecord(name) }
        guard isPublic else { return true }
        guard let type else {
            return GrantDefinition.ofLearntTypes.contains { grant in
                grant.permissions.contains(permission) && has(grant.role, creator: creator)
            }
        }
        return type.grants.contains { $0.value.contains(permission) && has($0.key, creator: creator) }
    }

    /// Whether a record is to be seen: its type is not hidden, and may be read.
    package func shows(_ record: StoredRecord, of type: RecordTypeSchema?) -> Bool {
        type?.isHidden != true && allows(.read, type, name: record.name, creator: record.created.user)
    }

    /// Why the user may not do `permission` with a record; nil: it may.
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
    /// Clients match the first words of the reason.
    static func notPermitted(_ permission: String, recordType: String) -> ServerError {
        .accessDenied("\(permission) operation not permitted on record type '\(recordType)'")
    }

    /// As the envelope's check says it of private databases.
    static func authenticationRequired() -> ServerError {
        ServerError(
            .authenticationRequired, "request needs authorization",
            field: Header.user)
    }
}
