package import CloudKitModel
package import CloudKitWire

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
    /// The participants in order of their ids, including participants who lost access. The owner is the first.
    package var participants: [StoredParticipant]

    /// Creates a share.
    package init(
        id: ShareID, name: RecordName, root: RecordName?, publicPermission: SharePermission, link: String,
        participants: [StoredParticipant]
    ) {
        self.id = id
        self.name = name
        self.root = root
        self.publicPermission = publicPermission
        self.link = link
        self.participants = participants
    }

    /// Returns the sharing data in the share's dictionary as `reader` sees it.
    package func envelope(for reader: String) -> SharingEnvelope? {
        StoredSharing(
            isRoot: false, shareName: name, link: link, publicPermission: publicPermission,
            participants: participants.filter(\.status.isListed), share: id
        ).envelope(for: reader, owner: "")
    }
}

/// A row of `record.participant`.
package struct StoredParticipant: Sendable, Hashable {
    /// The number within the share. The owner has the number 0.
    package let id: Int32
    /// The user's record name; nil for an invitation by email that nobody has accepted yet.
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

    /// Creates a participant.
    package init(
        id: Int32, user: String?, email: String?, role: ParticipantRole, permission: SharePermission,
        status: AcceptanceStatus, since: Int64? = nil, until: Int64? = nil, lost: Int64? = nil
    ) {
        self.id = id
        self.user = user
        self.email = email
        self.role = role
        self.permission = permission
        self.status = status
        self.since = since
        self.until = until
        self.lost = lost
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
