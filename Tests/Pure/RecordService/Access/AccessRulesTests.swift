import CloudKitModel
import CloudKitSchema
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Semantics 12: the permissions in the public database.
struct AccessRulesTests {
    private static let user = "_" + String(repeating: "a", count: 32)
    private static let other = "_" + String(repeating: "b", count: 32)

    private static func recordType(_ grants: [String: Permissions], named name: String = "Note") -> RecordTypeSchema {
        var type = RecordTypeSchema(id: RecordTypeID(1), name: name)
        type.grants = grants
        return type
    }

    private static let usual = recordType(["_creator": .write, "_icloud": .create, "_world": .read])

    /// The user (nil if no user has signed in), the user's roles, the record's creator, and the permissions.
    private static let usualTable: [(String?, Set<String>, String?, Permissions)] = [
        (nil, [], user, .read), (user, [], nil, [.read, .create]), (user, [], user, [.read, .create, .write]),
        (other, [], user, [.read, .create]), (nil, [], RequestContext.world, .read),
    ]

    @Test(arguments: usualTable) func inferredTypesAreReadByAllMadeByUsersAndChangedByTheirCreators(
        _ user: String?, _ roles: Set<String>, _ creator: String?, _ expected: Permissions
    ) {
        let rules = AccessRules(user: user ?? RequestContext.world, isPublic: true, customRoles: roles)
        #expect(Self.allowed(rules, Self.usual, creator) == expected)
        // A type that does not exist yet is treated as it will be after its creation.
        #expect(Self.allowed(rules, nil, creator) == expected)
    }

    @Test func rightsAreTheUnionOverTheRolesThatAUserHas() {
        let type = Self.recordType(["moderator": .write, "editor": .create, "_icloud": .read])
        let rules = AccessRules(user: Self.user, isPublic: true, customRoles: ["moderator", "editor"])
        #expect(Self.allowed(rules, type, Self.other) == [.read, .create, .write])
        #expect(Self.allowed(AccessRules(user: Self.user, isPublic: true), type, Self.other) == .read)
        #expect(Self.allowed(AccessRules(user: RequestContext.world, isPublic: true), type, nil) == [])
    }

    @Test func creatorMayNotCreate() {
        let rules = AccessRules(user: Self.user, isPublic: true)
        #expect(Self.allowed(rules, Self.recordType(["_creator": [.create, .write, .read]]), nil) == [])
    }

    @Test func everybodyMeansAlsoWhoHasNotSignedIn() {
        let rules = AccessRules(user: RequestContext.world, isPublic: true)
        #expect(Self.allowed(rules, Self.recordType(["_world": [.create, .write]]), nil) == [.create, .write])
    }

    @Test func withoutGrantsThePublicDatabaseAllowsNothing() {
        #expect(Self.allowed(AccessRules(user: Self.user, isPublic: true), Self.recordType([:]), Self.user) == [])
        #expect(
            Self.allowed(AccessRules(user: Self.user, isPublic: false), Self.recordType([:]), Self.user)
                == [.read, .create, .write])
    }

    @Test(arguments: [true, false]) func userRecordsAreWrittenByTheirUserOnly(isPublic: Bool) {
        let users = Self.recordType([:], named: "Users")
        let rules = AccessRules(user: Self.user, isPublic: isPublic)
        let all: Permissions = [.read, .create, .write]
        #expect(Self.allowed(rules, users, nil, name: RecordName(unchecked: Self.user)) == all)
        #expect(Self.allowed(rules, users, Self.other, name: RecordName(unchecked: Self.other)) == .read)
    }

    @Test func refusalsNameWhatIsNotPermittedAndAskForAuthenticationFirst() {
        let type = Self.recordType([:])
        func denial(_ user: String, _ permission: Permissions) -> ServerError? {
            AccessRules(user: user, isPublic: true)
                .denial(of: permission, type, typeName: "Note", name: "n", creator: nil)
        }
        for (permission, word) in [(Permissions.create, "CREATE"), (.write, "WRITE"), (.read, "READ")] {
            let error = denial(Self.user, permission)
            #expect(error?.code == .accessDenied)
            #expect(error?.ckErrorCode == 10)
            #expect(error?.reason == "\(word) operation not permitted on record type 'Note'")
        }
        #expect(denial(RequestContext.world, .create)?.code == .authenticationRequired)
        #expect(denial(RequestContext.world, .write)?.code == .authenticationRequired)
        #expect(denial(RequestContext.world, .read)?.code == .accessDenied)
    }

    private static func allowed(
        _ rules: AccessRules, _ type: RecordTypeSchema?, _ creator: String?, name: RecordName = "n"
    ) -> Permissions {
        [Permissions.read, .create, .write].reduce(into: []) { allowed, permission in
            if rules.allows(permission, type, name: name, creator: creator) { allowed.formUnion(permission) }
        }
    }
}
