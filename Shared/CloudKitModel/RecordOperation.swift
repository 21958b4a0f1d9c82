/// The operations of `records/modify`.
package enum RecordOperation {
    /// What one operation does to its record. The raw value is the `operationType` on the wire.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// Makes a record; a record of that name is a conflict.
        case create
        /// Changes the given fields if the change tag is current.
        case update
        /// Changes the given fields, or makes the record.
        case forceUpdate
        /// Sets the fields to the given ones if the change tag is current.
        case replace
        /// Sets the fields to the given ones, or makes the record.
        case forceReplace
        /// Removes the record if the change tag is current.
        case delete
        /// Removes the record; one that is not there counts as removed.
        case forceDelete

        /// Whether the operation removes.
        package var isDelete: Bool { self == .delete || self == .forceDelete }
        /// Whether the operation may make the record, and then needs its type.
        package var mayCreate: Bool { self == .create || self == .forceUpdate || self == .forceReplace }
        /// Whether fields that are not given lose their values.
        package var replacesFields: Bool { self == .replace || self == .forceReplace || self == .create }
        /// Whether the record's change tag is compared.
        package var checksTag: Bool { self == .update || self == .replace || self == .delete }
    }
}
