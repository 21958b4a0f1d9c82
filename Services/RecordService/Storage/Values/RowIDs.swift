/// The id of a record type's row. The row belongs to the schema of one environment.
@frozen package struct RecordTypeID: Sendable, Hashable {
    /// `record.record_type.id`.
    package let rawValue: Int32

    /// Wraps the id.
    @inlinable package init(_ rawValue: Int32) { self.rawValue = rawValue }
}

/// The id of a zone's row, which represents one incarnation of the zone.
@frozen package struct ZoneRow: Sendable, Hashable, Comparable {
    /// `record.zone.id`.
    package let rawValue: Int64

    /// Wraps the id.
    @inlinable package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// The order in which zones are locked.
    @inlinable package static func < (left: ZoneRow, right: ZoneRow) -> Bool { left.rawValue < right.rawValue }
}

/// The id of an environment's row. It is part of the names of the environment's partitions.
@frozen package struct EnvironmentRow: Sendable, Hashable {
    /// `record.environment.id`.
    package let rawValue: Int32

    /// Wraps the id.
    @inlinable package init(_ rawValue: Int32) { self.rawValue = rawValue }

    /// The environment's own record table. Statements use this table instead of the partitioned table.
    package var recordTable: String { "record.record_\(rawValue)" }

    /// The environment's own asset-use table.
    var assetUseTable: String { "record.asset_use_\(rawValue)" }

    /// The environment's own reference table.
    package var referenceTable: String { "record.reference_\(rawValue)" }
}
