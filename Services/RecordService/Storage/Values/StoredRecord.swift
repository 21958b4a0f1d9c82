package import CloudKitModel
package import CloudKitWire

/// A record as the database keeps it, a tombstone when `fields` is nil.
package struct StoredRecord: Sendable {
    /// Who wrote, when and from where.
    package struct Stamp: Sendable, Equatable {
        /// Milliseconds since 1970.
        package var milliseconds: Int64
        /// The user record name.
        package var user: String
        /// The client or device.
        package var device: String

        /// A stamp of the given parts.
        package init(milliseconds: Int64, user: String, device: String) {
            self.milliseconds = milliseconds
            self.user = user
            self.device = device
        }
    }

    /// The record's name, unique in its zone.
    package var name: RecordName
    /// The row of its type.
    package var type: RecordTypeID
    /// The change that made this state.
    package var changeSeq: Int64
    /// The record change tag.
    package var changeTag: String
    /// The bare values; nil: deleted.
    package var fields: StoredFields?
    /// Counted bytes (semantics 2.4), and those that its assets take in an answer.
    package var size: Int
    /// The parent's record name.
    package var parent: RecordName?
    /// The first save.
    package var created: Stamp
    /// The last one.
    package var modified: Stamp

    /// Whether the record was deleted.
    package var isTombstone: Bool { fields == nil }
}

/// The row of a record type in its environment's schema.
package struct RecordTypeID: Sendable, Hashable {
    /// `record.record_type.id`.
    package let rawValue: Int32

    /// The id of that row.
    package init(_ rawValue: Int32) { self.rawValue = rawValue }
}

/// The row of a zone: one incarnation of it.
package struct ZoneRow: Sendable, Hashable, Comparable {
    /// `record.zone.id`.
    package let rawValue: Int64

    /// The id of that row.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// In the order in which zones are locked.
    package static func < (left: ZoneRow, right: ZoneRow) -> Bool { left.rawValue < right.rawValue }
}

/// The row of an environment, which names its partition.
package struct EnvironmentRow: Sendable, Hashable {
    /// `record.environment.id`.
    package let rawValue: Int32

    /// The id of that row.
    package init(_ rawValue: Int32) { self.rawValue = rawValue }

    /// The environment's own table of records, which statements name instead of the parent.
    package var recordTable: String { "record.record_\(rawValue)" }

    /// The environment's own table of asset uses.
    package var assetUseTable: String { "record.asset_use_\(rawValue)" }

    /// The environment's own table of references.
    package var referenceTable: String { "record.reference_\(rawValue)" }
}
