public import Foundation

/// A user, as far as the present user may know.
open class CKUserIdentity: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// What identifies a user to others.
    public typealias LookupInfo = CKUserIdentityLookupInfo

    /// The ID of the user's record; nil for an invitation that nobody has accepted.
    public let userRecordID: CKRecord.ID?
    /// What the user was looked up or invited by.
    public let lookupInfo: CKUserIdentity.LookupInfo?
    /// The user's name.
    public let nameComponents: PersonNameComponents?
    /// Whether the user has an account.
    public let hasiCloudAccount: Bool
    /// The user's entries in the address book: none, because Linux has no address book.
    public let contactIdentifiers: [String] = []

    init(user: CKRecordID?, lookupInfo: CKUserIdentityLookupInfo?, name: PersonNameComponents?) {
        userRecordID = user
        self.lookupInfo = lookupInfo
        nameComponents = name
        hasiCloudAccount = user != nil
        super.init()
    }

    convenience init(lookupInfo: CKUserIdentityLookupInfo) {
        self.init(user: lookupInfo.userRecordID, lookupInfo: lookupInfo, name: nil)
    }

    @available(*, unavailable)
    public override init() { fatalError("init() is unavailable: identities come from the server.") }

    /// Returns this object, because it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether `object` is the same user.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKUserIdentity else { return false }
        return userRecordID == other.userRecordID && lookupInfo == other.lookupInfo
    }

    /// The hash of the user.
    open override var hash: Int { userRecordID?.hash ?? lookupInfo?.hash ?? 0 }

    open override var description: String {
        "<CKUserIdentity: \(userRecordID?.recordName ?? lookupInfo?.emailAddress ?? "unknown")>"
    }

    // MARK: - NSSecureCoding

    /// Whether archives may require secure coding: always.
    open class var supportsSecureCoding: Bool { true }

    /// Reads an identity from an archive.
    public required init?(coder: NSCoder) {
        userRecordID = coder.optionalObject(of: CKRecordID.self, forKey: Key.user)
        lookupInfo = coder.optionalObject(of: CKUserIdentityLookupInfo.self, forKey: Key.lookupInfo)
        var name = PersonNameComponents()
        name.givenName = coder.optionalObject(of: NSString.self, forKey: Key.given).map(String.init(describing:))
        name.familyName = coder.optionalObject(of: NSString.self, forKey: Key.family).map(String.init(describing:))
        nameComponents = name.givenName == nil && name.familyName == nil ? nil : name
        hasiCloudAccount = coder.decodeBool(forKey: Key.hasAccount)
        super.init()
    }

    /// Writes the identity to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(userRecordID, forKey: Key.user)
        coder.encode(lookupInfo, forKey: Key.lookupInfo)
        coder.encode(nameComponents?.givenName.map { $0 as NSString }, forKey: Key.given)
        coder.encode(nameComponents?.familyName.map { $0 as NSString }, forKey: Key.family)
        coder.encode(hasiCloudAccount, forKey: Key.hasAccount)
    }

    private enum Key {
        static let user = "UserRecordID"
        static let lookupInfo = "LookupInfo"
        static let given = "GivenName"
        static let family = "FamilyName"
        static let hasAccount = "HasICloudAccount"
    }
}
