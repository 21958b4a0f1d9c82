public import Foundation

/// What a link of a share leads to. Source code calls it `CKShare.Metadata`.
open class CKShareMetadata: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    struct State {
        var containerIdentifier: String
        var share: CKShare
        /// The name of the root; nil for the share of a zone.
        var rootRecordID: CKRecordID?
        var rootRecord: CKRecord?
        var owner: CKUserIdentity
        var role: CKShareParticipantRole
        var status: CKShareParticipantAcceptanceStatus
        var permission: CKShareParticipantPermission
        /// The end of the link, which accepting needs.
        var link: String?
    }

    private let state: State

    init(_ state: State) {
        self.state = state
        super.init()
    }

    @available(*, unavailable)
    public override init() { fatalError("init() is unavailable: fetch the metadata of a link.") }

    /// The container of the shared records.
    open var containerIdentifier: String { state.containerIdentifier }
    /// The share.
    open var share: CKShare { state.share }
    /// The ID of the shared record; nil if a whole zone is shared.
    open var hierarchicalRootRecordID: CKRecord.ID? { state.rootRecordID }
    /// The ID of the shared record. For the share of a zone, the ID of the share.
    @available(macOS, introduced: 10.12, deprecated: 13.0, renamed: "hierarchicalRootRecordID")
    open var rootRecordID: CKRecord.ID { state.rootRecordID ?? state.share.recordID }
    /// The shared record, if it was fetched with the metadata.
    open var rootRecord: CKRecord? { state.rootRecord }
    /// The owner.
    open var ownerIdentity: CKUserIdentity { state.owner }
    /// What the user is to the share.
    open var participantRole: CKShare.ParticipantRole { state.role }
    /// The former name of ``participantRole``.
    @available(macOS, introduced: 10.12, deprecated: 10.14, renamed: "participantRole")
    open var participantType: CKShareParticipantType {
        CKShareParticipantType(rawValue: state.role.rawValue) ?? .unknown
    }
    /// Whether the user has accepted.
    open var participantStatus: CKShare.ParticipantAcceptanceStatus { state.status }
    /// What the user may do.
    open var participantPermission: CKShare.ParticipantPermission { state.permission }
    /// The end of the link, which accepting needs.
    var link: String? { state.link }

    /// Returns this object, because it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether `object` is of the same share.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKShareMetadata else { return false }
        return containerIdentifier == other.containerIdentifier && share == other.share
    }

    /// The hash of the share.
    open override var hash: Int { share.hash }

    // MARK: - NSSecureCoding

    /// Whether archives may require secure coding: always.
    open class var supportsSecureCoding: Bool { true }

    /// Reads metadata from an archive.
    public required init?(coder: NSCoder) {
        guard let container = coder.optionalObject(of: NSString.self, forKey: Key.container),
            let share = coder.optionalObject(of: CKShare.self, forKey: Key.share),
            let owner = coder.optionalObject(of: CKUserIdentity.self, forKey: Key.owner)
        else { return nil }
        state = State(
            containerIdentifier: String(describing: container), share: share,
            rootRecordID: coder.optionalObject(of: CKRecordID.self, forKey: Key.rootID),
            rootRecord: coder.optionalObject(of: CKRecord.self, forKey: Key.root), owner: owner,
            role: CKShareParticipantRole(rawValue: coder.decodeInteger(forKey: Key.role)) ?? .unknown,
            status: CKShareParticipantAcceptanceStatus(rawValue: coder.decodeInteger(forKey: Key.status)) ?? .unknown,
            permission: CKShareParticipantPermission(rawValue: coder.decodeInteger(forKey: Key.permission)) ?? .unknown,
            link: coder.optionalObject(of: NSString.self, forKey: Key.link).map(String.init(describing:)))
        super.init()
    }

    /// Writes the metadata to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(state.containerIdentifier as NSString, forKey: Key.container)
        coder.encode(state.share, forKey: Key.share)
        coder.encode(state.owner, forKey: Key.owner)
        coder.encode(state.rootRecordID, forKey: Key.rootID)
        coder.encode(state.rootRecord, forKey: Key.root)
        coder.encode(state.role.rawValue, forKey: Key.role)
        coder.encode(state.status.rawValue, forKey: Key.status)
        coder.encode(state.permission.rawValue, forKey: Key.permission)
        coder.encode(state.link.map { $0 as NSString }, forKey: Key.link)
    }

    private enum Key {
        static let container = "ContainerID"
        static let share = "Share"
        static let owner = "OwnerIdentity"
        static let rootID = "RootRecordID"
        static let root = "RootRecord"
        static let role = "ParticipantType"
        static let status = "AcceptanceStatus"
        static let permission = "Permission"
        static let link = "ShortGUID"
    }
}
