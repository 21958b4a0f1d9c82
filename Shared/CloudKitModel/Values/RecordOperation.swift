/// The operations of `records/modify`.
package enum RecordOperation {
    /// The effect of one operation on its record. The raw value is the `operationType` on the wire.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// Creates the record. Fails with a conflict if a record with this name already exists.
        case create
        /// Changes the given fields if the change tag is current.
        case update
        /// Changes the given fields, or creates the record if it does not exist.
        case forceUpdate
        /// Replaces all fields with the given fields if the change tag is current.
        case replace
        /// Replaces all fields with the given fields, or creates the record if it does not exist.
        case forceReplace
        /// Deletes the record if the change tag is current.
        case delete
        /// Deletes the record. Also succeeds if it does not exist.
        case forceDelete

        /// Whether the operation deletes the record.
        package var isDelete: Bool { self == .delete || self == .forceDelete }
        /// Whether the operation can create the record, and therefore requires a record type.
        package var mayCreate: Bool { self == .create || self == .forceUpdate || self == .forceReplace }
        /// Whether the operation clears the fields that it does not contain.
        package var replacesFields: Bool { self == .replace || self == .forceReplace || self == .create }
        /// Whether the record's change tag must be current.
        package var checksTag: Bool { self == .update || self == .replace || self == .delete }
    }
}
