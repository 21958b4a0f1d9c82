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
