public import Foundation

/// The permissions that a user may give in a sharing sheet.
public struct CKSharingParticipantPermissionOption: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Reading.
    public static let readOnly = CKSharingParticipantPermissionOption(rawValue: 1 << 0)
    /// Reading and writing.
    public static let readWrite = CKSharingParticipantPermissionOption(rawValue: 1 << 1)
    /// All of them.
    public static let any: CKSharingParticipantPermissionOption = [.readOnly, .readWrite]
}

/// The users to whom a user may give access in a sharing sheet.
public struct CKSharingParticipantAccessOption: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Everyone who has the link.
    public static let anyoneWithLink = CKSharingParticipantAccessOption(rawValue: 1 << 0)
    /// Invited users only.
    public static let specifiedRecipientsOnly = CKSharingParticipantAccessOption(rawValue: 1 << 1)
    /// All of them.
    public static let any: CKSharingParticipantAccessOption = [.anyoneWithLink, .specifiedRecipientsOnly]
}

/// What a sharing sheet offers. Linux has no sharing sheet, so this only carries the values.
open class CKAllowedSharingOptions: NSObject, NSCopying, @unchecked Sendable {
    private let options: Locked<(CKSharingParticipantPermissionOption, CKSharingParticipantAccessOption)>

    /// Creates options.
    public init(
        allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption,
        allowedParticipantAccessOptions: CKSharingParticipantAccessOption
    ) { options = Locked((allowedParticipantPermissionOptions, allowedParticipantAccessOptions)) }

    /// The permissions that the user may give.
    open var allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption {
        get { options.copy.0 }
        set { options.withLock { $0.0 = newValue } }
    }

    /// The users to whom the user may give access.
    open var allowedParticipantAccessOptions: CKSharingParticipantAccessOption {
        get { options.copy.1 }
        set { options.withLock { $0.1 = newValue } }
    }

    /// All options.
    open class var standard: CKAllowedSharingOptions {
        CKAllowedSharingOptions(allowedParticipantPermissionOptions: .any, allowedParticipantAccessOptions: .any)
    }

    /// Returns options with the same values.
    open func copy(with zone: NSZone? = nil) -> Any {
        CKAllowedSharingOptions(
            allowedParticipantPermissionOptions: allowedParticipantPermissionOptions,
            allowedParticipantAccessOptions: allowedParticipantAccessOptions)
    }
}
