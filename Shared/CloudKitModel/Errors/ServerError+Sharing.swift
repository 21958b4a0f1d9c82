/// The errors for saving shares and the records in shares.
extension ServerError {
    /// The save contains a share or `createShortGUID`, but the database or zone cannot contain shares.
    package static func shareNotInDatabase(zone: ZoneName, isPublic: Bool) -> ServerError {
        ServerError(
            .shareNotInDatabase,
            isPublic
                ? "The public database cannot contain a share"
                : "The zone '\(zone)' cannot contain a share; use a custom zone of the private database")
    }

    /// The new share does not name a root record.
    package static func shareWithoutRoot() -> ServerError {
        ServerError(.shareRootMissing, "The share has no root record; specify it with 'forRecord'", field: "forRecord")
    }

    /// "Cannot share - no such record exists to share": the root record of a new share does not exist.
    package static func shareRootNotFound(_ root: RecordName) -> ServerError {
        ServerError(
            .shareRootMissing, "Cannot share - no such record exists to share: '\(root)'", field: "forRecord")
    }

    /// The root of a new share or a record below it already belongs to a share, or a save would place the root of a
    /// share below a record of another share.
    package static func alreadyShared(_ record: RecordName) -> ServerError {
        ServerError(.alreadyShared, "The record '\(record)' is already shared")
    }

    /// The share is of a single record, but the whole zone is already shared.
    package static func zoneSharedAsWhole(_ zone: ZoneName) -> ServerError {
        ServerError(.zoneSharedAsWhole, "The zone '\(zone)' is shared as a whole")
    }

    /// The share is of a whole zone, but the zone contains shares of single records.
    package static func zoneHasShares(_ zone: ZoneName) -> ServerError {
        ServerError(.zoneHasShares, "The zone '\(zone)' contains shares of single records")
    }

    /// The record is not a share, but has a key that only shares have.
    package static func notShare(field: String) -> ServerError {
        ServerError(
            .shareFieldInvalid, "Only records of type 'cloudkit.share' have the key '\(field)'", field: field)
    }

    /// The share has a parent, or a reference that has an effect when its target is deleted.
    package static func shareRefers(field: String) -> ServerError {
        ServerError(
            .shareFieldInvalid, "A share has no parent and no DELETE_SELF or VALIDATE references", field: field)
    }

    /// A key of the share has an unknown value.
    package static func shareFieldInvalid(_ field: String, _ value: String, expected: String) -> ServerError {
        ServerError(.shareFieldInvalid, "Unknown \(field) '\(value)'; use \(expected)", field: field)
    }

    /// The participant cannot be saved.
    package static func participantInvalid(_ reason: String) -> ServerError {
        ServerError(.participantInvalid, reason, field: "participants")
    }

    /// The share has more participants than the limit allows, not counting the owner and users who joined through the
    /// link.
    package static func tooManyParticipants(limit: Int, actual: Int) -> ServerError {
        ServerError(
            .tooManyParticipants, "The share would have \(actual) participants; at most \(limit) are allowed",
            field: "participants", limit: limit, actual: actual)
    }

    /// The short GUID is unknown, its share has ended, or the user has no access. The error is the same in all three
    /// cases, so that it reveals nothing.
    package static func shareLinkUnknown() -> ServerError {
        ServerError(.shareLinkUnknown, "No share for this short GUID")
    }

    /// The user is not a participant, but there are pending invitations by email; one of them might be for the user.
    package static func participantNotVerified() -> ServerError {
        ServerError(
            .participantNotVerified, "The share was sent to an email address other than the user's verified address")
    }

    /// The user is not a participant, but there are pending invitations by email, and the user may request access.
    package static func participantMayRequest() -> ServerError {
        ServerError(
            .participantMayRequest,
            "The share was sent to an email address other than the user's verified address; the user may request access"
        )
    }

    /// The user requests access to a share to which the user is already invited.
    package static func participantAlreadyInvited() -> ServerError {
        ServerError(.participantAlreadyInvited, "An invitation to the share is waiting for the user")
    }

    /// The user has no access to the share, but may request it.
    package static func accessRequestRequired() -> ServerError {
        ServerError(.accessRequestRequired, "The share is not shared with the user, who may request access to it")
    }

    /// The user has requested access to the share, and the request has not been answered.
    package static func accessRequestPending() -> ServerError {
        ServerError(.accessRequestPending, "The user's request for access to the share has not been answered yet")
    }

    /// Too many users have requested access to the share.
    package static func tooManyRequesters(limit: Int) -> ServerError {
        ServerError(
            .tooManyRequesters, "\(limit) requests for access to the share are pending, which is the maximum",
            limit: limit)
    }

    /// A save of the share names too many users, or would block too many.
    package static func tooManyRequesters(_ field: String, limit: Int) -> ServerError {
        ServerError(
            .tooManyRequesters, "'\(field)' may name at most \(limit) users, and at most \(limit) can be blocked",
            field: field, limit: limit)
    }

    /// The maximum number of users has already joined through the link.
    package static func tooManyPublicUsers(limit: Int) -> ServerError {
        ServerError(
            .tooManyParticipants, "\(limit) users have joined the share through its link, which is the maximum",
            limit: limit, actual: limit + 1)
    }

    /// The parent of a record would be a share.
    package static func parentIsShare(_ parent: RecordName) -> ServerError {
        ServerError(.shareFieldInvalid, "The share '\(parent)' cannot be the parent of a record", field: "parent")
    }

    /// A reference that takes effect when its target is deleted refers to a share.
    package static func targetIsShare(_ target: RecordName, field: String) -> ServerError {
        ServerError(
            .shareFieldInvalid, "The share '\(target)' cannot be the target of a DELETE_SELF or VALIDATE reference",
            field: field)
    }

    /// A participant is not allowed to make a change in another user's zone. The error is the same for every cause, so
    /// that it reveals nothing about records that the participant may not see.
    package static func notPermittedByShare() -> ServerError {
        ServerError(.accessDenied, "The share does not permit the user to make this change")
    }

    /// The parent of a record would be the record itself or a record below it.
    package static func parentCircular(_ parent: RecordName) -> ServerError {
        ServerError(.parentCircular, "The parent '\(parent)' is the record itself or below it", field: "parent")
    }
}
