package import CloudKitModel
package import CloudKitWire

/// A record as it is stored in the database; a tombstone if `fields` is nil.
package struct StoredRecord: Sendable {
    /// The user, device and time of a change.
    package struct Stamp: Sendable, Equatable {
        /// The time, in milliseconds since 1970.
        package var milliseconds: Int64
        /// The user record name of the user who made the change.
        package var user: String
        /// The client or device that made the change.
        package var device: String

        /// Creates a stamp from its parts.
        package init(milliseconds: Int64, user: String, device: String) {
            self.milliseconds = milliseconds
            self.user = user
            self.device = device
        }
    }

    /// The record's name, unique in its zone.
    package var name: RecordName
    /// The row of the record's type.
    package var type: RecordTypeID
    /// The number of the change that produced this state.
    package var changeSeq: Int64
    /// The record change tag.
    package var changeTag: String
    /// The field values; nil if the record was deleted.
    package var fields: StoredFields?
    /// The size in bytes: the counted size (semantics 2.4) plus the approximate size, in an answer, of the record's
    /// assets or of a share's participants.
    package var size: Int
    /// The parent's record name.
    package var parent: RecordName?
    /// The stamp of the first save.
    package var created: Stamp
    /// The stamp of the last change.
    package var modified: Stamp
    /// The share that the record belongs to; nil if the record is not shared. A tombstone keeps the share that the
    /// record last belonged to.
    package var membership: Membership?
    /// The sharing data of a share, of the root of a share, or of a record with a link; nil for other records.
    package var sharing: StoredSharing?

    /// Creates a record from its parts.
    package init(
        name: RecordName, type: RecordTypeID, changeSeq: Int64, changeTag: String, fields: StoredFields?, size: Int,
        parent: RecordName?, created: Stamp, modified: Stamp, membership: Membership? = nil,
        sharing: StoredSharing? = nil
    ) {
        self.name = name
        self.type = type
        self.changeSeq = changeSeq
        self.changeTag = changeTag
        self.fields = fields
        self.size = size
        self.parent = parent
        self.created = created
        self.modified = modified
        self.membership = membership
        self.sharing = sharing
    }

    /// Whether the record was deleted.
    package var isTombstone: Bool { fields == nil }

    /// Returns the row that remains when the record is deleted.
    package func tombstone(seq: Int64, changeTag: String, stamp: Stamp) -> StoredRecord {
        var tombstone = self
        tombstone.fields = nil
        tombstone.size = 0
        tombstone.parent = nil
        tombstone.changeSeq = seq
        tombstone.membership?.seq = seq
        tombstone.sharing = nil
        tombstone.changeTag = changeTag
        tombstone.modified = stamp
        return tombstone
    }
}
