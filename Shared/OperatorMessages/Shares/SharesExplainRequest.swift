package import CloudKitModel
package import ServiceMessages

/// `shares.explain`: explains what a user may do with a record in another user's zone, and why.
package struct SharesExplainRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.sharesExplain

    /// The container.
    package var container: String
    /// The environment.
    package var environment: EnvironmentName
    /// The record name of the user who owns the zone.
    package var owner: String
    /// The zone.
    package var zone: String
    /// The record.
    package var recordName: String
    /// The record name of the user whose right is explained.
    package var user: String

    /// Creates a request.
    package init(
        container: String, environment: EnvironmentName, owner: String, zone: String, recordName: String, user: String
    ) {
        self.container = container
        self.environment = environment
        self.owner = owner
        self.zone = zone
        self.recordName = recordName
        self.user = user
    }

    /// The explanation: the record and its parents, the share, the participant, and the resulting right.
    package struct Answer: Codable, Sendable {
        /// The record, its parent, and so on, up to the root of a share.
        package var chain: [ExplainedRecord]
        /// The share that determines the right; nil if there is none.
        package var share: ExplainedShare?
        /// The user's entry among the share's participants; nil if there is none.
        package var participant: ExplainedParticipant?
        /// The user's request for access to the share: `PENDING`, or `BLOCKED` if the user is blocked; nil if there is
        /// none.
        package var accessRequest: String?
        /// `OWNER`, `READ_WRITE`, `READ_ONLY` or `NONE`.
        package var right: String
        /// The condition that is not met; nil unless the right is `NONE`.
        package var missing: String?
        /// The reason, as a sentence.
        package var explanation: String

        /// Creates an answer.
        package init(
            chain: [ExplainedRecord] = [], share: ExplainedShare? = nil, participant: ExplainedParticipant? = nil,
            accessRequest: String? = nil, right: String, missing: String? = nil, explanation: String
        ) {
            self.accessRequest = accessRequest
            self.chain = chain
            self.share = share
            self.participant = participant
            self.right = right
            self.missing = missing
            self.explanation = explanation
        }
    }
}

/// A record in the chain of parents.
package struct ExplainedRecord: Codable, Sendable {
    /// The name of the record.
    package var recordName: String
    /// The type of the record; nil if the record does not exist.
    package var recordType: String?
    /// `live`, `deleted`, `pendingDeletion` or `missing`.
    package var state: String
    /// The name of the share that lists the record as a member; nil if there is none.
    package var share: String?
    /// The name of the live share that has this record as its root; nil if there is none.
    package var rootOf: String?

    /// Creates a record.
    package init(recordName: String, recordType: String?, state: String, share: String?, rootOf: String?) {
        self.recordName = recordName
        self.recordType = recordType
        self.state = state
        self.share = share
        self.rootOf = rootOf
    }
}

/// A live share.
package struct ExplainedShare: Codable, Sendable {
    /// The name of the share.
    package var recordName: String
    /// The name of the root; nil for the share of a whole zone.
    package var rootRecordName: String?
    /// The permission of everyone who has the link.
    package var publicPermission: String
    /// The number of invitations to email addresses that nobody has accepted.
    package var openInvitations: Int

    /// Creates a share.
    package init(recordName: String, rootRecordName: String?, publicPermission: String, openInvitations: Int) {
        self.recordName = recordName
        self.rootRecordName = rootRecordName
        self.publicPermission = publicPermission
        self.openInvitations = openInvitations
    }
}

/// A participant in a share.
package struct ExplainedParticipant: Codable, Sendable {
    /// The id of the participant.
    package var participantId: String
    /// The role: `OWNER`, `ADMINISTRATOR`, `USER` or `PUBLIC_USER`.
    package var type: String
    /// `INVITED`, `ACCEPTED`, `REMOVED` or `UNSUBSCRIBED`.
    package var acceptanceStatus: String
    /// `NONE`, `READ_ONLY` or `READ_WRITE`.
    package var permission: String

    /// Creates a participant.
    package init(participantId: String, type: String, acceptanceStatus: String, permission: String) {
        self.participantId = participantId
        self.type = type
        self.acceptanceStatus = acceptanceStatus
        self.permission = permission
    }
}
