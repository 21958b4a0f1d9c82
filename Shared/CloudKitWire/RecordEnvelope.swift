package import CloudKitModel

/// What a record dictionary has besides its fields.
package struct RecordEnvelope: Hashable, Sendable {
    /// When, by whom and from where a record was created or modified.
    package struct Stamp: Hashable, Sendable {
        /// Milliseconds since 1970-01-01 UTC.
        package var timestamp: Int64
        /// The user's record name.
        package var userRecordName: String
        /// The device; clients drop a stamp without one, so there is always one.
        package var deviceID: String

        /// A stamp.
        package init(timestamp: Int64, userRecordName: String, deviceID: String = "2") {
            self.timestamp = timestamp
            self.userRecordName = userRecordName
            self.deviceID = deviceID
        }
    }

    /// The record's name.
    package var recordName: RecordName
    /// Its type.
    package var recordType: String
    /// The tag of this state of it.
    package var recordChangeTag: String
    /// Its first save.
    package var created: Stamp
    /// Its last save.
    package var modified: Stamp
    /// The name of its parent, if it has one.
    package var parent: RecordName?
    /// Its zone, with the owner; nil leaves the key out, as the public database does.
    package var zoneID: ZoneID?
    /// Its short identifier, if it has one.
    package var shortGUID: String?

    /// A record's envelope.
    package init(
        recordName: RecordName, recordType: String, recordChangeTag: String, created: Stamp, modified: Stamp,
        parent: RecordName? = nil, zoneID: ZoneID? = nil, shortGUID: String? = nil
    ) {
        self.recordName = recordName
        self.recordType = recordType
        self.recordChangeTag = recordChangeTag
        self.created = created
        self.modified = modified
        self.parent = parent
        self.zoneID = zoneID
        self.shortGUID = shortGUID
    }
}
