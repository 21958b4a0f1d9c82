public import Foundation

/// What identifies a user to others: an email address, a phone number or the user's record. Source code calls it
/// `CKUserIdentity.LookupInfo`.
open class CKUserIdentityLookupInfo: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The email address.
    public let emailAddress: String?
    /// The phone number. Zonda's server knows no phone numbers.
    public let phoneNumber: String?
    /// The ID of the user's record.
    public let userRecordID: CKRecord.ID?

    init(email: String?, phone: String?, user: CKRecordID?) {
        (emailAddress, phoneNumber, userRecordID) = (email, phone, user)
        super.init()
    }

    /// Identifies a user by an email address.
    public convenience init(emailAddress: String) { self.init(email: emailAddress, phone: nil, user: nil) }

    /// Identifies a user by a phone number.
    public convenience init(phoneNumber: String) { self.init(email: nil, phone: phoneNumber, user: nil) }

    /// Identifies a user by the user's record.
    public convenience init(userRecordID: CKRecord.ID) { self.init(email: nil, phone: nil, user: userRecordID) }

    @available(*, unavailable)
    public override init() { fatalError("init() is unavailable: use init(emailAddress:).") }

    /// Identifies several users by their email addresses.
    open class func lookupInfos(withEmails emails: [String]) -> [CKUserIdentity.LookupInfo] {
        emails.map { CKUserIdentityLookupInfo(emailAddress: $0) }
    }

    /// Identifies several users by their phone numbers.
    open class func lookupInfos(withPhoneNumbers phoneNumbers: [String]) -> [CKUserIdentity.LookupInfo] {
        phoneNumbers.map { CKUserIdentityLookupInfo(phoneNumber: $0) }
    }

    /// Identifies several users by their records.
    open class func lookupInfos(with recordIDs: [CKRecord.ID]) -> [CKUserIdentity.LookupInfo] {
        recordIDs.map { CKUserIdentityLookupInfo(userRecordID: $0) }
    }

    /// Returns this object, because it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether `object` identifies a user in the same way.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKUserIdentityLookupInfo else { return false }
        return emailAddress == other.emailAddress && phoneNumber == other.phoneNumber
            && userRecordID == other.userRecordID
    }

    /// The hash of all three.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(emailAddress)
        hasher.combine(phoneNumber)
        hasher.combine(userRecordID)
        return hasher.finalize()
    }

    // MARK: - NSSecureCoding

    /// Whether archives may require secure coding: always.
    open class var supportsSecureCoding: Bool { true }

    /// Reads the object from an archive.
    public required init?(coder: NSCoder) {
        emailAddress = coder.optionalObject(of: NSString.self, forKey: Key.email).map(String.init(describing:))
        phoneNumber = coder.optionalObject(of: NSString.self, forKey: Key.phone).map(String.init(describing:))
        userRecordID = coder.optionalObject(of: CKRecordID.self, forKey: Key.user)
        super.init()
    }

    /// Writes the object to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(emailAddress.map { $0 as NSString }, forKey: Key.email)
        coder.encode(phoneNumber.map { $0 as NSString }, forKey: Key.phone)
        coder.encode(userRecordID, forKey: Key.user)
    }

    private enum Key {
        static let email = "EmailAddress"
        static let phone = "PhoneNumber"
        static let user = "UserRecordID"
    }
}
