public import Foundation

/// The record that shares another record, with everything below it, or a whole zone with other users.
open class CKShare: CKRecord, @unchecked Sendable {
    /// A user of a share.
    public typealias Participant = CKShareParticipant
    /// What a link leads to.
    public typealias Metadata = CKShareMetadata
    /// What a participant is to a share.
    public typealias ParticipantRole = CKShareParticipantRole
    /// What a participant may do.
    public typealias ParticipantPermission = CKShareParticipantPermission
    /// Whether a participant has accepted.
    public typealias ParticipantAcceptanceStatus = CKShareParticipantAcceptanceStatus
    /// The former name of a participant's role.
    @available(macOS, introduced: 10.12, deprecated: 10.14, renamed: "CKShare.ParticipantRole")
    public typealias ParticipantType = CKShareParticipantType

    /// The names of the fields that CloudKit itself uses.
    public enum SystemFieldKey {
        /// The title, a string.
        public static let title = "cloudkit.title"
        /// A picture, as data.
        public static let thumbnailImageData = "cloudkit.thumbnailImageData"
        /// The kind of content, a string.
        public static let shareType = "cloudkit.type"
    }

    struct ShareState {
        /// The root record of a share that has not been saved, and its change tag; nil for the share of a zone.
        var root: CKRecord?
        var publicPermission = CKShareParticipantPermission.none
        var participants: [CKShareParticipant] = []
        var owner: CKShareParticipant?
        var current: CKShareParticipant?
        var allowsAccessRequests = false
        var requesters: [CKShareAccessRequester] = []
        var blocked: [CKShareBlockedIdentity] = []
        /// The users whose requests the next save denies, who are blocked by it, and whose blocks it ends.
        var denied: [String] = []
        var newlyBlocked: [String] = []
        var unblocked: [String] = []
        /// The address that links begin with.
        var links: URL?
    }

    let sharing: Locked<ShareState>

    init(id: CKRecordID, state: State, share: ShareState) {
        sharing = Locked(share)
        super.init(type: CKRecord.SystemType.share, id: id, state: state)
    }

    /// Creates a share of a record. Save it together with the record.
    public convenience init(rootRecord: CKRecord) {
        let name = "Share-\(UUID().uuidString)"
        self.init(rootRecord: rootRecord, shareID: CKRecordID(recordName: name, zoneID: rootRecord.recordID.zoneID))
    }

    /// Creates a share of a record. Save it together with the record.
    public init(rootRecord: CKRecord, shareID: CKRecord.ID) {
        sharing = Locked(ShareState(root: rootRecord))
        super.init(type: CKRecord.SystemType.share, id: shareID, state: State())
        rootRecord.state.withLock { $0.system.share = CKReference(recordID: shareID, action: .none) }
        addOwner()
    }

    /// Creates a share of a whole zone.
    public init(recordZoneID: CKRecordZone.ID) {
        sharing = Locked(ShareState())
        let id = CKRecordID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID)
        super.init(type: CKRecord.SystemType.share, id: id, state: State())
        addOwner()
    }

    private func addOwner() {
        let user = CKRecordID(recordName: CKCurrentUserDefaultName)
        let owner = CKShareParticipant(
            CKUserIdentity(user: user, lookupInfo: nil, name: nil),
            CKShareParticipant.State(role: .owner, permission: .readWrite, status: .accepted))
        sharing.withLock { share in
            share.owner = owner
            share.current = owner
            share.participants = [owner]
        }
    }

    /// What everyone who has the link may do.
    ///
    /// With another value than `.none`, invited participants who are not the owner are removed; with `.none`, those who
    /// joined through the link are.
    open var publicPermission: CKShare.ParticipantPermission {
        get { sharing.withLock { $0.publicPermission } }
        set {
            sharing.withLock { share in
                share.publicPermission = newValue
                let dropped: CKShareParticipantRole = newValue == .none ? .publicUser : .privateUser
                share.participants.removeAll { participant in
                    participant.role == dropped
                        && (dropped == .publicUser || participant.acceptanceStatus == .pending)
                }
            }
        }
    }

    /// The link; nil until the share has been saved.
    open var url: URL? {
        let guid = state.withLock { $0.system.shortGUID }
        return guid.flatMap { guid in sharing.withLock { $0.links?.appendingPathComponent(guid) } }
    }

    /// All participants who the user may see, beginning with the owner.
    open var participants: [CKShare.Participant] { sharing.withLock { $0.participants } }

    /// The owner.
    open var owner: CKShare.Participant {
        sharing.withLock { $0.owner }
            ?? CKShareParticipant(inviting: CKUserIdentity(user: nil, lookupInfo: nil, name: nil))
    }

    /// The user's own participant; nil if the user is not a participant.
    open var currentUserParticipant: CKShare.Participant? { sharing.withLock { $0.current } }

    /// Adds a participant, or replaces the participant with the same user. Save the share to invite the user.
    open func addParticipant(_ participant: CKShare.Participant) {
        sharing.withLock { share in
            if let index = share.participants.firstIndex(of: participant) {
                share.participants[index] = participant
            } else {
                share.participants.append(participant)
            }
        }
    }

    /// Removes a participant, but not the owner. Save the share to revoke access.
    open func removeParticipant(_ participant: CKShare.Participant) {
        sharing.withLock { share in share.participants.removeAll { $0 == participant && $0.role != .owner } }
    }

    /// Returns the link of a participant who is the first user who opens it; nil if there is none.
    open func oneTimeURL(for participantID: CKShare.Participant.ID) -> URL? {
        sharing.withLock { share in
            let participant = share.participants.first { $0.participantID == participantID }
            return participant?.state.copy.oneTimeGUID.flatMap { share.links?.appendingPathComponent($0) }
        }
    }

    // MARK: - Requests for access

    /// Whether users who are not participants may request access.
    open var allowsAccessRequests: Bool {
        get { sharing.withLock { $0.allowsAccessRequests } }
        set { sharing.withLock { $0.allowsAccessRequests = newValue } }
    }

    /// The users who request access, if the user manages the share.
    open var requesters: [CKShareAccessRequester] { sharing.withLock { $0.requesters } }
    /// The users who are blocked, if the user manages the share.
    open var blockedIdentities: [CKShareBlockedIdentity] { sharing.withLock { $0.blocked } }

    /// Denies requests for access. Save the share for this to take effect.
    open func denyRequesters(_ requesters: [CKShareAccessRequester]) {
        sharing.withLock { share in
            share.denied += requesters.compactMap { $0.userIdentity.userRecordID?.recordName }
            share.requesters.removeAll { requesters.contains($0) }
        }
    }

    /// Blocks users who request access. Save the share for this to take effect.
    open func blockRequesters(_ requesters: [CKShareAccessRequester]) {
        sharing.withLock { share in
            share.newlyBlocked += requesters.compactMap { $0.userIdentity.userRecordID?.recordName }
            share.requesters.removeAll { requesters.contains($0) }
            share.blocked += requesters.map { CKShareBlockedIdentity($0.userIdentity) }
        }
    }

    /// Ends blocks. Save the share for this to take effect.
    open func unblockIdentities(_ blockedIdentities: [CKShareBlockedIdentity]) {
        sharing.withLock { share in
            share.unblocked += blockedIdentities.compactMap { $0.userIdentity.userRecordID?.recordName }
            share.blocked.removeAll { blockedIdentities.contains($0) }
        }
    }

    // MARK: - NSObject

    /// Returns a share with the same content.
    open override func copy(with zone: NSZone? = nil) -> Any {
        var share = sharing.copy
        share.participants = share.participants.map { CKShareParticipant($0.userIdentity, $0.state.copy) }
        return CKShare(id: recordID, state: state.copy, share: share)
    }

    // MARK: - NSSecureCoding

    /// Reads a share from an archive.
    public required init?(coder: NSCoder) {
        sharing = Locked(ShareState(coder))
        super.init(coder: coder)
    }

    /// Writes the share with its system fields, which include the participants.
    open override func encodeSystemFields(with coder: NSCoder) {
        super.encodeSystemFields(with: coder)
        sharing.copy.encode(with: coder)
    }
}

/// The name of the record that shares a whole zone.
public let CKRecordNameZoneWideShare: String = "cloudkit.zoneshare"
/// The name of the field with the title of a share.
public let CKShareTitleKey: String = "cloudkit.title"
/// The name of the field with the picture of a share.
public let CKShareThumbnailImageDataKey: String = "cloudkit.thumbnailImageData"
/// The name of the field with the kind of content of a share.
public let CKShareTypeKey: String = "cloudkit.type"
