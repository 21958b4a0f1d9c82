/// The errors for saving shares and the records that they contain.
extension ServerError {
    /// A share, or `createShortGUID`, in a database or zone that cannot contain shares.
    package static func shareNotInDatabase(zone: ZoneName, isPublic: Bool) -> ServerError {
        ServerError(
            .shareNotInDatabase,
            isPublic
                ? "The public database cannot contain a share"
                : "The zone '\(zone)' cannot contain a share; use a custom zone of the private database")
    }

    /// A new share names no root record.
    package static func shareWithoutRoot() -> ServerError {
        ServerError(.shareRootMissing, "The share has no root record; name it by 'forRecord'", field: "forRecord")
    }

    /// "Cannot share - no such record exists to share": the root record of a new share does not exist.
    package static func shareRootNotFound(_ root: RecordName) -> ServerError {
        ServerError(
            .shareRootMissing, "Cannot share - no such record exists to share: '\(root)'", field: "forRecord")
    }

    /// The root of a new share, or a record below it, belongs to a share already, or a save would bring the root of
    /// a share below another one.
    package static func alreadyShared(_ record: RecordName) -> ServerError {
        ServerError(.alreadyShared, "The record '\(record)' is already shared")
    }

    /// A share of one record in a zone that is shared as a whole.
    package static func zoneSharedAsWhole(_ zone: ZoneName) -> ServerError {
        ServerError(.zoneSharedAsWhole, "The zone '\(zone)' is shared as a whole")
    }

    /// A share of a whole zone that contains shares of single records.
    package static func zoneHasShares(_ zone: ZoneName) -> ServerError {
        ServerError(.zoneHasShares, "The zone '\(zone)' contains shares of single records")
    }

    /// A key that only shares have, in another record.
    package static func notShare(field: String) -> ServerError {
        ServerError(
            .shareFieldInvalid, "Only records of type 'cloudkit.share' have the key '\(field)'", field: field)
    }

    /// A share with a parent, or with a reference that has an effect when its target is deleted.
    package static func shareRefers(field: String) -> ServerError {
        ServerError(
            .shareFieldInvalid, "A share has no parent and no DELETE_SELF or VALIDATE references", field: field)
    }

    /// The value of a share's key is unknown.
    package static func shareFieldInvalid(_ field: String, _ value: String, expected: String) -> ServerError {
        ServerError(.shareFieldInvalid, "Unknown \(field) '\(value)'; use \(expected)", field: field)
    }

    /// A participant that cannot be saved.
    package static func participantInvalid(_ reason: String) -> ServerError {
        ServerError(.participantInvalid, reason, field: "participants")
    }

    /// More participants than the limit allows, without the owner and without users who joined by the link.
    package static func tooManyParticipants(limit: Int, actual: Int) -> ServerError {
        ServerError(
            .tooManyParticipants, "The share would have \(actual) participants; at most \(limit) are allowed",
            field: "participants", limit: limit, actual: actual)
    }

    /// The short GUID is unknown, its share has ended, or the user has no access: one answer, so that it reveals nothing.
    package static func shareLinkUnknown() -> ServerError {
        ServerError(.shareLinkUnknown, "No share for this short GUID")
    }

    /// The user is no participant, but invitations by email are open, and the user could be one of the invited.
    package static func participantNotVerified() -> ServerError {
        ServerError(
            .participantNotVerified, "The share was sent to another email address than the user's verified address")
    }

    /// More users joined by the link than the limit allows.
    package static func tooManyPublicUsers(limit: Int) -> ServerError {
        ServerError(
            .tooManyParticipants, "\(limit) users have joined the share by its link, which is the maximum",
            limit: limit, actual: limit + 1)
    }

    /// The parent of a record would be a share.
    package static func parentIsShare(_ parent: RecordName) -> ServerError {
        ServerError(.shareFieldInvalid, "The share '\(parent)' cannot be the parent of a record", field: "parent")
    }

    /// The parent of a record would be the record itself or a record below it.
    package static func parentCircular(_ parent: RecordName) -> ServerError {
        ServerError(.parentCircular, "The parent '\(parent)' is the record itself or below it", field: "parent")
    }
}
