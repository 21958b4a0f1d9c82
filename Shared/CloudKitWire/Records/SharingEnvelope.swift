package import CloudKitModel

/// The keys that the dictionary of a root record or share has in addition to the keys that every record has.
package struct SharingEnvelope: Hashable, Sendable {
    /// A participant, as visible to the reader of the record.
    package struct Participant: Hashable, Sendable {
        /// The server's ID for the participant.
        package var id: String
        /// The user's record name; nil until someone accepts the invitation.
        package var user: String?
        /// The email address of the invitation; nil if there is none, or if the reader may not see it.
        package var email: String?
        /// The role.
        package var role: ParticipantRole
        /// The permission.
        package var permission: SharePermission
        /// The status.
        package var status: AcceptanceStatus
        /// The identifier in the participant's one-time link; nil if there is none, if it has been used, or if the
        /// reader could not make such a link.
        package var oneTimeGUID: String?

        /// Creates a participant.
        package init(
            id: String, user: String?, email: String?, role: ParticipantRole, permission: SharePermission,
            status: AcceptanceStatus, oneTimeGUID: String? = nil
        ) {
            self.id = id
            self.user = user
            self.email = email
            self.role = role
            self.permission = permission
            self.status = status
            self.oneTimeGUID = oneTimeGUID
        }
    }

    /// A user who requests access to a share or is blocked from it, as visible to the reader of the record.
    package struct Identity: Hashable, Sendable {
        /// The user's record name.
        package var user: String
        /// The user's verified email address; nil if there is none, or if the reader may not see it.
        package var email: String?

        /// Creates an identity.
        package init(user: String, email: String?) {
            self.user = user
            self.email = email
        }
    }

    /// The part of the dictionary that only shares have.
    package struct Share: Hashable, Sendable {
        /// The permission of everyone who has the link.
        package var publicPermission: SharePermission
        /// The participants that the reader may see, in the order in which they were added, starting with the owner.
        package var participants: [Participant]
        /// The reader's own entry; nil if the reader is not a participant.
        package var currentUser: Participant?
        /// Whether users who are not participants may request access.
        package var allowsAccessRequests = false
        /// The users who request access; empty unless the reader may manage the share.
        package var requesters: [Identity] = []
        /// The users who are blocked; empty unless the reader may manage the share.
        package var blocked: [Identity] = []

        /// Creates the part.
        package init(
            publicPermission: SharePermission, participants: [Participant], currentUser: Participant?
        ) {
            self.publicPermission = publicPermission
            self.participants = participants
            self.currentUser = currentUser
        }
    }

    /// The identifier in the share's link, if any.
    package var shortGUID: String?
    /// The name of the share, in the dictionary of a root record.
    package var shareName: RecordName?
    /// The part that only shares have.
    package var share: Share?

    /// Creates an envelope.
    package init(shortGUID: String?, shareName: RecordName? = nil, share: Share? = nil) {
        self.shortGUID = shortGUID
        self.shareName = shareName
        self.share = share
    }
}

extension WireWriter {
    /// Writes the members of a root record or of a share.
    mutating func members(of sharing: SharingEnvelope) {
        if let name = sharing.shareName {
            key("share")
            beginObject()
            member("recordName", name)
            endObject()
        }
        if let share = sharing.share {
            member("publicPermission", share.publicPermission.wireName)
            key("participants")
            beginArray()
            for participant in share.participants { self.participant(participant) }
            endArray()
            if let owner = share.participants.first, owner.role == .owner {
                key("owner")
                self.participant(owner)
            }
            if let current = share.currentUser {
                key("currentUserParticipant")
                participant(current)
            }
            if share.allowsAccessRequests { member("allowsAccessRequests", true) }
            identities("requesters", share.requesters)
            identities("blocked", share.blocked)
        }
        member("shortGUID", sharing.shortGUID)
    }

    /// Writes a participant in a share.
    package mutating func participant(_ participant: SharingEnvelope.Participant) {
        beginObject()
        member("participantId", participant.id)
        identity(participant.user, email: participant.email)
        member("type", participant.role.wireName)
        member("acceptanceStatus", participant.status.wireName)
        member("permission", participant.permission.wireName)
        member("oneTimeShortGUID", participant.oneTimeGUID)
        endObject()
    }

    /// Writes users as an array of dictionaries with the member `userIdentity`; nothing if there are none.
    private mutating func identities(_ name: StaticString, _ identities: [SharingEnvelope.Identity]) {
        guard !identities.isEmpty else { return }
        key(name)
        beginArray()
        for identity in identities {
            beginObject()
            self.identity(identity.user, email: identity.email)
            endObject()
        }
        endArray()
    }

    /// Writes the member `userIdentity`.
    private mutating func identity(_ user: String?, email: String?) {
        key("userIdentity")
        beginObject()
        member("userRecordName", user)
        if let email {
            key("lookupInfo")
            beginObject()
            member("emailAddress", email)
            endObject()
        }
        endObject()
    }
}
