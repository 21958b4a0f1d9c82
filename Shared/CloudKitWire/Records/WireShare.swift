package import CloudKitModel

/// The keys that only the record dictionaries of shares contain.
package struct WireShare: Hashable, Sendable {
    /// The root record of a new share.
    package struct Root: Hashable, Sendable {
        /// The record's name.
        package var recordName: RecordName
        /// The change tag of the client's copy.
        package var recordChangeTag: String?

        /// Creates a root.
        package init(recordName: RecordName, recordChangeTag: String? = nil) {
            self.recordName = recordName
            self.recordChangeTag = recordChangeTag
        }
    }

    /// The root record; nil if the key is absent.
    package var root: Root?
    /// The permission of everyone who has the link; nil if the key is absent.
    package var publicPermission: SharePermission?
    /// The new list of all participants; nil if the key is absent.
    package var participants: [WireParticipant]?
    /// Whether to replace the link with a new one, so that the old link stops working. This key extends Apple's
    /// protocol.
    package var replacesLink = false
    /// Whether users who are not participants may request access; nil if the key is absent. This key and the following
    /// ones extend Apple's protocol. They are named after the methods of Apple's `CKShare`.
    package var allowsAccessRequests: Bool?
    /// The users whose requests for access are denied.
    package var denied: [UserName] = []
    /// The users who are removed and who can no longer request access.
    package var blocked: [UserName] = []
    /// The users who are no longer blocked.
    package var unblocked: [UserName] = []
    /// The acceptance that the save performs. This is not a key: only the service that executes `records.accept` sets
    /// it.
    package var acceptance: Acceptance?
    /// The participant who leaves the share by deleting it. This is not a key: only the record service sets it.
    package var leaver: String?
    /// The request for access that the save executes. This is not a key: only the service that executes
    /// `shares.requestAccess` sets it.
    package var accessRequest: AccessRequest?
    /// The administrator who saves the share of another user. This is not a key: only the record service sets it.
    package var administrator: String?

    /// A user's request for access to a share.
    package struct AccessRequest: Hashable, Sendable {
        /// The identifier in the link.
        package let link: String
        /// The user who requests access.
        package let caller: ShareCaller
        /// The maximum number of pending requests.
        package let maxRequesters: Int

        /// Creates a request.
        package init(link: String, caller: ShareCaller, maxRequesters: Int) {
            self.link = link
            self.caller = caller
            self.maxRequesters = maxRequesters
        }
    }

    /// The acceptance of a share through its link.
    package struct Acceptance: Hashable, Sendable {
        /// The identifier in the link.
        package let link: String
        /// The number of the participant to whom a one-time link belongs; nil for the link of the share.
        package let oneTime: Int32?
        /// The user who accepts the share.
        package let caller: ShareCaller
        /// The maximum number of users who can join through the link.
        package let maxPublicUsers: Int

        /// Creates an acceptance.
        package init(link: String, oneTime: Int32? = nil, caller: ShareCaller, maxPublicUsers: Int) {
            self.link = link
            self.oneTime = oneTime
            self.caller = caller
            self.maxPublicUsers = maxPublicUsers
        }
    }

    /// Creates the keys.
    package init(
        root: Root? = nil, publicPermission: SharePermission? = nil, participants: [WireParticipant]? = nil
    ) {
        self.root = root
        self.publicPermission = publicPermission
        self.participants = participants
    }

    /// The first key that is present; nil if all are absent.
    var firstKey: String? {
        if root != nil { return "forRecord" }
        if publicPermission != nil { return "publicPermission" }
        if participants != nil { return "participants" }
        if allowsAccessRequests != nil { return "allowsAccessRequests" }
        if !denied.isEmpty { return "denyRequesters" }
        if !blocked.isEmpty { return "blockRequesters" }
        if !unblocked.isEmpty { return "unblockIdentities" }
        return replacesLink ? "replaceShortGUID" : nil
    }
}

/// A participant in a share as sent by a client.
package struct WireParticipant: Hashable, Sendable {
    /// The server's ID for the participant; nil for a new participant.
    package var id: String?
    /// The user; nil for an invitation by email.
    package var user: UserName?
    /// The email address to which the invitation was sent, as the client spelt it.
    package var email: String?
    /// The role; nil if the key is absent.
    package var role: ParticipantRole?
    /// The permission; nil if the key is absent.
    package var permission: SharePermission?
    /// Whether a new participant has no identity, and is the first user who accepts the participant's one-time link.
    /// This key extends Apple's protocol; Apple's `CKShareParticipant` has a property with this name.
    package var usesOneTimeLink = false

    /// Creates a participant.
    package init(
        id: String? = nil, user: UserName? = nil, email: String? = nil, role: ParticipantRole? = nil,
        permission: SharePermission? = nil, usesOneTimeLink: Bool = false
    ) {
        self.id = id
        self.user = user
        self.email = email
        self.role = role
        self.permission = permission
        self.usesOneTimeLink = usesOneTimeLink
    }
}
