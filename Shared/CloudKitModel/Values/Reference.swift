/// A field's pointer to a record.
package struct Reference: Hashable, Sendable {
    /// The effect of deleting the target. The raw value is the value on the wire.
    package enum Action: String, CaseIterable, Hashable, Sendable {
        /// No effect.
        case none = "NONE"
        /// The referring record is deleted too.
        case deleteSelf = "DELETE_SELF"
        /// The target cannot be deleted. It must exist when the reference is saved.
        case validate = "VALIDATE"
    }

    /// The target's name. It may begin with `_`, because user records are valid targets.
    package var recordName: RecordName
    /// The target's zone; nil for the zone of the referring record.
    package var zoneID: ZoneID?
    /// The effect of deleting the target.
    package var action: Action

    /// Creates a reference to `recordName`.
    package init(recordName: RecordName, zoneID: ZoneID? = nil, action: Action = .none) {
        self.recordName = recordName
        self.zoneID = zoneID
        self.action = action
    }
}
