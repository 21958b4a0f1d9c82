package import CloudKitModel

/// The content of a record dictionary, apart from its fields.
package struct RecordEnvelope: Hashable, Sendable {
    /// The time, user and device of a record's creation or last modification.
    package struct Stamp: Hashable, Sendable {
        /// Milliseconds since 1970-01-01 UTC.
        package var timestamp: Int64
        /// The user's record name.
        package var userRecordName: String
        /// The device's identifier. Always present, because clients discard a stamp without one.
        package var deviceID: String

        /// Creates a stamp.
        package init(timestamp: Int64, userRecordName: String, deviceID: String = "2") {
            self.timestamp = timestamp
            self.userRecordName = userRecordName
            self.deviceID = deviceID
        }
    }

    /// The record's name.
    package var recordName: RecordName
    /// The record's type.
    package var recordType: String
    /// The change tag of the record's current version.
    package var recordChangeTag: String
    /// The stamp of the first save.
    package var created: Stamp
    /// The stamp of the last save.
    package var modified: Stamp
    /// The name of the record's parent; nil if it has none.
    package var parent: RecordName?
    /// The zone with its owner. If nil, the key is omitted, as in the public database.
    package var zoneID: ZoneID?
    /// The keys for sharing; nil if the record has none of them.
    package var sharing: SharingEnvelope?

    /// Creates a record's envelope.
    package init(
        recordName: RecordName, recordType: String, recordChangeTag: String, created: Stamp, modified: Stamp,
        parent: RecordName? = nil, zoneID: ZoneID? = nil, sharing: SharingEnvelope? = nil
    ) {
        self.recordName = recordName
        self.recordType = recordType
        self.recordChangeTag = recordChangeTag
        self.created = created
        self.modified = modified
        self.parent = parent
        self.zoneID = zoneID
        self.sharing = sharing
    }
}
