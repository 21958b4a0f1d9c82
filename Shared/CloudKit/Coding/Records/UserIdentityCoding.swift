internal import CloudKitWire
internal import Foundation

/// Users as JSON (web-services 3.9).
enum UserIdentityCoding {
    /// Reads a user.
    ///
    /// - Throws: the error that the dictionary is.
    static func identity(from json: JSONValue) throws(CKError) -> CKUserIdentity {
        if let fault = json.fault { throw fault.error() }
        return self.identity(json)
    }

    /// Reads a user. Keys that are missing are unknown.
    static func identity(_ json: JSONValue?) -> CKUserIdentity {
        let user = json?["userRecordName"]?.string.map { CKRecordID(recordName: $0) }
        return CKUserIdentity(
            user: user, lookupInfo: lookupInfo(json?["lookupInfo"]), name: name(json?["nameComponents"]))
    }

    private static func lookupInfo(_ json: JSONValue?) -> CKUserIdentityLookupInfo? {
        guard let json else { return nil }
        let (email, phone) = (json["emailAddress"]?.string, json["phoneNumber"]?.string)
        let user = json["userRecordName"]?.string.map { CKRecordID(recordName: $0) }
        guard email != nil || phone != nil || user != nil else { return nil }
        return CKUserIdentityLookupInfo(email: email, phone: phone, user: user)
    }

    private static func name(_ json: JSONValue?) -> PersonNameComponents? {
        guard let json, let members = json.members, !members.isEmpty else { return nil }
        var name = PersonNameComponents()
        name.namePrefix = json["namePrefix"]?.string
        name.givenName = json["givenName"]?.string
        name.middleName = json["middleName"]?.string
        name.familyName = json["familyName"]?.string
        name.nameSuffix = json["nameSuffix"]?.string
        name.nickname = json["nickname"]?.string
        return name
    }
}
