package import CloudKitModel
package import Foundation

/// A live share: a row of `record.share` with its link and participants.
package struct StoredShare: Sendable, Hashable {
    /// The number of the share.
    package let id: ShareID
    /// The name of the share record.
    package let name: RecordName
    /// The name of the root record; nil for the share of a whole zone.
    package let root: RecordName?
    /// The permission of everyone who has the link.
    package var publicPermission: SharePermission
    /// The identifier in the link.
    package var link: String
    /// The participants in order of their ids, including participants who lost access. The owner is the first. If
    /// ``rest`` is not nil, these are only the participants that a ``ShareVisitor`` needs.
    package var participants: [StoredParticipant]
    /// The users who request access, and those who are blocked.
    package var requests: AccessRequests
    /// What is known about the participants that were not read; nil if all participants were read.
    package var rest: Rest?

    /// The participants of a share that were not read individually.
    package struct Rest: Sendable, Hashable {
        /// The highest number of a participant.
        package let lastID: Int32
        /// The number of users who have joined through the link; 0 if joining is not possible.
        package let publicUsers: Int

        /// Creates a value.
        package init(lastID: Int32, publicUsers: Int) {
            self.lastID = lastID
            self.publicUsers = publicUsers
        }
    }

    /// Creates a share.
    package init(
        id: ShareID, name: RecordName, root: RecordName?, publicPermission: SharePermission, link: String,
        participants: [StoredParticipant], requests: AccessRequests = AccessRequests(), rest: Rest? = nil
    ) {
        self.id = id
        self.name = name
        self.root = root
        self.publicPermission = publicPermission
        self.link = link
        self.participants = participants
        self.requests = requests
        self.rest = rest
    }

    /// The sharing data of the share's record.
    package var sharing: StoredSharing {
        StoredSharing(
            isRoot: false, shareName: name, link: link, publicPermission: publicPermission,
            participants: participants.filter(\.status.isListed), requests: requests, share: id, isPartial: rest != nil)
    }
}

/// A row of `record.participant`.
package struct StoredParticipant: Sendable, Hashable {
    /// The number within the share. The owner has the number 0.
    package let id: Int32
    /// The id in answers; nil for participants whose ids consist of numbers (``wireID(in:)``).
    package var uuid: UUID?
    /// The user's record name; nil for an invitation by email or an unused one-time link.
    package var user: String?
    /// The email address of the invitation.
    package var email: String?
    /// The role.
    package var role: ParticipantRole
    /// The permission.
    package var permission: SharePermission
    /// The status.
    package var status: AcceptanceStatus
    /// The number of the change that last gave the user access.
    package var since: Int64?
    /// The number of the change that last ended the user's access.
    package var until: Int64?
    /// The number of the change that ended the user's access before the change ``since`` restored it.
    package var lost: Int64?
    /// The one-time link by which a user becomes the participant; nil if there is none or if it has been used.
    package var link: String?

    /// Creates a participant.
    package init(
        id: Int32, uuid: UUID? = nil, user: String?, email: String?, role: ParticipantRole,
        permission: SharePermission, status: AcceptanceStatus, since: Int64? = nil, until: Int64? = nil,
        lost: Int64? = nil, link: String? = nil
    ) {
        self.id = id
        self.uuid = uuid
        self.link = link
        self.user = user
        self.email = email
        self.role = role
        self.permission = permission
        self.status = status
        self.since = since
        self.until = until
        self.lost = lost
    }

    /// Returns the id of the participant in answers. The participants that earlier releases added have ids that consist
    /// of the number of the share and of ``id``, because clients might have stored these ids.
    package func wireID(in share: ShareID) -> String { uuid?.uuidString ?? "\(share.rawValue).\(id)" }

    /// Whether the participant is the first user who accepts a one-time link, which is still unused.
    package var usesOneTimeLink: Bool { user == nil && email == nil }

    /// Whether the participant may manage the share: its participants, and requests for access.
    package var managesShare: Bool {
        role == .owner || (role == .administrator && hasAccess)
    }

    /// Whether the participant has access while the share is live.
    package var hasAccess: Bool { status == .accepted && permission != .none }

    /// Records the change that gives the user access or ends it. Does nothing if the access remains the same.
    ///
    /// - Parameters:
    ///   - hadAccess: whether the user had access before the change.
    ///   - seq: the number of the change.
    package mutating func noteAccess(before hadAccess: Bool, seq: Int64) {
        guard hasAccess != hadAccess else { return }
        if hasAccess {
            (since, lost) = (seq, since == nil ? nil : until)
        } else {
            until = seq
        }
    }
}

extension AcceptanceStatus {
    /// Whether a participant with this status is in the list of participants.
    package var isListed: Bool { self == .invited || self == .accepted }
}
