public import Foundation

/// A user who requests access to a share.
open class CKShareAccessRequester: NSObject, @unchecked Sendable {
    /// The user.
    public let userIdentity: CKUserIdentity

    init(_ identity: CKUserIdentity) {
        userIdentity = identity
        super.init()
    }

    /// What the user can be looked up by.
    open var participantLookupInfo: CKUserIdentity.LookupInfo {
        userIdentity.lookupInfo
            ?? CKUserIdentityLookupInfo(email: nil, phone: nil, user: userIdentity.userRecordID)
    }

    /// Returns whether `object` is a request of the same user.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CKShareAccessRequester)?.userIdentity == userIdentity
    }

    /// The hash of the user.
    open override var hash: Int { userIdentity.hash }
}

/// A user who is blocked from a share.
open class CKShareBlockedIdentity: NSObject, @unchecked Sendable {
    /// The user.
    public let userIdentity: CKUserIdentity

    init(_ identity: CKUserIdentity) {
        userIdentity = identity
        super.init()
    }

    /// Returns whether `object` is a block of the same user.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CKShareBlockedIdentity)?.userIdentity == userIdentity
    }

    /// The hash of the user.
    open override var hash: Int { userIdentity.hash }
}
