internal import CloudKitWire

/// The users who can be found by what others know of them.
struct UserDirectory: Sendable {
    private let database: WebDatabase

    init(_ database: WebDatabase) { self.database = database }

    /// Returns the users who were found.
    func identities(
        of infos: [CKUserIdentity.LookupInfo]
    ) async throws(CKError) -> [CKUserIdentity.LookupInfo: CKUserIdentity] {
        let users = try await database.discover(infos.map(Self.json))
        var found: [CKUserIdentity.LookupInfo: CKUserIdentity] = [:]
        for user in users {
            guard let info = infos.first(where: { Self.matches(user, $0) }) else { continue }
            found[info] = try UserIdentityCoding.identity(from: user)
        }
        return found
    }

    private static func json(of info: CKUserIdentity.LookupInfo) -> JSONValue {
        if let email = info.emailAddress { return ["emailAddress": .string(email)] }
        if let id = info.userRecordID { return ["userRecordName": .string(id.recordName)] }
        return ["phoneNumber": .string(info.phoneNumber ?? "")]
    }

    /// The server returns the property by which it has found the user.
    private static func matches(_ user: JSONValue, _ info: CKUserIdentity.LookupInfo) -> Bool {
        if let email = info.emailAddress {
            return user["lookupInfo"]?["emailAddress"]?.string?.lowercased() == email.lowercased()
        }
        return info.userRecordID?.recordName == user["userRecordName"]?.string
    }
}
