public import Foundation

/// What a participant is to a share. Source code calls it `CKShare.ParticipantRole`.
public enum CKShareParticipantRole: Int, Sendable {
    case unknown = 0
    /// The owner.
    case owner = 1
    /// A participant who may manage the other participants.
    case administrator = 2
    /// An invited user.
    case privateUser = 3
    /// A user who joined through the link of a public share.
    case publicUser = 4
}

/// The former name of a participant's role.
@available(macOS, introduced: 10.12, deprecated: 10.14, renamed: "CKShare.ParticipantRole")
public enum CKShareParticipantType: Int, Sendable {
    case unknown = 0
    case owner = 1
    case privateUser = 3
    case publicUser = 4
}

/// What a participant may do. Source code calls it `CKShare.ParticipantPermission`.
public enum CKShareParticipantPermission: Int, Sendable {
    case unknown = 0
    /// Nothing.
    case none = 1
    /// Read.
    case readOnly = 2
    /// Read, change, create and delete.
    case readWrite = 3
}

/// Whether a participant has accepted. Source code calls it `CKShare.ParticipantAcceptanceStatus`.
public enum CKShareParticipantAcceptanceStatus: Int, Sendable {
    case unknown = 0
    /// The invitation waits.
    case pending = 1
    /// The user has accepted.
    case accepted = 2
    /// The user was removed, or has left.
    case removed = 3
}

/// A user of a share. Source code calls it `CKShare.Participant`.
open class CKShareParticipant: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// A participant's ID.
    public typealias ID = String
    /// What a participant is to a share.
    public typealias Role = CKShareParticipantRole
    /// What a participant may do.
    public typealias Permission = CKShareParticipantPermission
    /// Whether a participant has accepted.
    public typealias AcceptanceStatus = CKShareParticipantAcceptanceStatus
    /// The former name of a participant's role.
    @available(macOS, introduced: 10.12, deprecated: 10.14, renamed: "CKShare.Participant.Role")
    public typealias ParticipantType = CKShareParticipantType

    struct State {
        /// The server's ID; nil for a participant who has not been saved.
        var serverID: String?
        var role = CKShareParticipantRole.privateUser
        var permission = CKShareParticipantPermission.readOnly
        var status = CKShareParticipantAcceptanceStatus.pending
        /// Whether the participant is the first user who opens a link of its own.
        var usesOneTimeLink = false
        /// The end of that link.
        var oneTimeGUID: String?
        var dateAdded: Date?
        var isApproved = false
    }

    /// The user.
    public let userIdentity: CKUserIdentity
    let state: Locked<State>
    private let localID = UUID().uuidString

    init(_ identity: CKUserIdentity, _ state: State) {
        userIdentity = identity
        self.state = Locked(state)
        super.init()
    }

    /// Creates a participant to be invited.
    convenience init(inviting identity: CKUserIdentity) { self.init(identity, State()) }

    @available(*, unavailable)
    public override init() { fatalError("init() is unavailable: fetch a participant by an email address.") }

    /// Returns a new participant who is the first user who opens a link of its own.
    public static func oneTimeURLParticipant() -> CKShare.Participant {
        let identity = CKUserIdentity(user: nil, lookupInfo: nil, name: nil)
        return CKShareParticipant(identity, State(usesOneTimeLink: true))
    }

    /// The ID, which is unique within the share.
    open var participantID: CKShare.Participant.ID { state.copy.serverID ?? localID }

    /// What the participant is to the share.
    open var role: CKShare.ParticipantRole {
        get { state.copy.role }
        set { state.withLock { $0.role = newValue } }
    }

    /// The former name of ``role``.
    @available(macOS, introduced: 10.12, deprecated: 10.14, renamed: "role")
    open var type: CKShareParticipantType {
        get { CKShareParticipantType(rawValue: role.rawValue) ?? .unknown }
        set { role = CKShareParticipantRole(rawValue: newValue.rawValue) ?? .unknown }
    }

    /// What the participant may do.
    open var permission: CKShare.ParticipantPermission {
        get { state.copy.permission }
        set { state.withLock { $0.permission = newValue } }
    }

    /// Whether the participant has accepted.
    open var acceptanceStatus: CKShare.ParticipantAcceptanceStatus { state.copy.status }

    /// Whether the owner has approved the participant's request for access.
    open var isApprovedRequester: Bool { state.copy.isApproved }

    /// When the participant was added to the share, if the server says so.
    open var dateAddedToShare: Date? { state.copy.dateAdded }

    /// Returns a participant with the same content.
    open func copy(with zone: NSZone? = nil) -> Any { CKShareParticipant(userIdentity, state.copy) }

    /// Returns whether `object` is the same participant of a share, or an invitation of the same user.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKShareParticipant else { return false }
        if self === other { return true }
        let (mine, theirs) = (state.copy, other.state.copy)
        if let id = mine.serverID, let other = theirs.serverID { return id == other }
        guard !mine.usesOneTimeLink, !theirs.usesOneTimeLink else { return false }
        return userIdentity == other.userIdentity
    }

    /// The hash of the class, because a saved participant equals the invitation.
    open override var hash: Int { 0 }

    open override var description: String {
        let state = state.copy
        return
            "<CKShareParticipant: \(userIdentity), role=\(state.role), permission=\(state.permission), status=\(state.status)>"
    }

    // MARK: - NSSecureCoding

    /// Whether archives may require secure coding: always.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a participant from an archive. Returns nil if it has no user.
    public required init?(coder: NSCoder) {
        guard let identity = coder.optionalObject(of: CKUserIdentity.self, forKey: Key.identity) else { return nil }
        userIdentity = identity
        state = Locked(
            State(
                serverID: coder.optionalObject(of: NSString.self, forKey: Key.id).map(String.init(describing:)),
                role: CKShareParticipantRole(rawValue: coder.decodeInteger(forKey: Key.role)) ?? .unknown,
                permission: CKShareParticipantPermission(rawValue: coder.decodeInteger(forKey: Key.permission))
                    ?? .unknown,
                status: CKShareParticipantAcceptanceStatus(rawValue: coder.decodeInteger(forKey: Key.status))
                    ?? .unknown,
                usesOneTimeLink: coder.decodeBool(forKey: Key.oneTime),
                oneTimeGUID: coder.optionalObject(of: NSString.self, forKey: Key.oneTimeGUID)
                    .map(String.init(describing:))))
        super.init()
    }

    /// Writes the participant to an archive.
    open func encode(with coder: NSCoder) {
        let state = state.copy
        coder.encode(userIdentity, forKey: Key.identity)
        coder.encode(state.serverID.map { $0 as NSString }, forKey: Key.id)
        coder.encode(state.role.rawValue, forKey: Key.role)
        coder.encode(state.permission.rawValue, forKey: Key.permission)
        coder.encode(state.status.rawValue, forKey: Key.status)
        coder.encode(state.usesOneTimeLink, forKey: Key.oneTime)
        coder.encode(state.oneTimeGUID.map { $0 as NSString }, forKey: Key.oneTimeGUID)
    }

    private enum Key {
        static let identity = "UserIdentity"
        static let id = "ParticipantID"
        static let role = "Type"
        static let permission = "Permission"
        static let status = "AcceptanceStatus"
        static let oneTime = "UsesOneTimeURL"
        static let oneTimeGUID = "OneTimeShortGUID"
    }
}
