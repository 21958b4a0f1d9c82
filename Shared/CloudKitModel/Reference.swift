/// A field's pointer to a record, and what becomes of the pointing record.
package struct Reference: Hashable, Sendable {
    /// What deleting the target does. The raw value is the word on the wire.
    package enum Action: String, CaseIterable, Hashable, Sendable {
        /// Nothing.
        case none = "NONE"
        /// The pointing record is deleted too.
        case deleteSelf = "DELETE_SELF"
        /// The target cannot be deleted, and must exist when the reference is written.
        case validate = "VALIDATE"
    }

    /// The target's name. Users' records are legal targets, so it may begin with `_`.
    package var recordName: RecordName
    /// The target's zone; nil is the zone of the record that holds the reference.
    package var zoneID: ZoneID?
    /// What deleting the target does.
    package var action: Action

    /// A reference to `recordName`.
    package init(recordName: RecordName, zoneID: ZoneID? = nil, action: Action = .none) {
        self.recordName = recordName
        self.zoneID = zoneID
        self.action = action
    }
}
