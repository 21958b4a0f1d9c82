extension CKSyncEngine.Event {
    /// Zones that have changed or were deleted.
    public struct FetchedDatabaseChanges: Sendable, CustomStringConvertible {
        /// The zones that have changed.
        public let modifications: [CKDatabase.DatabaseChange.Modification]
        /// The zones that were deleted.
        public let deletions: [CKDatabase.DatabaseChange.Deletion]

        /// The IDs of the zones.
        public var description: String {
            "<FetchedDatabaseChanges modified=\(modifications.map(\.zoneID)) deleted=\(deletions.map(\.zoneID))>"
        }
    }

    /// Records that have changed or were deleted.
    public struct FetchedRecordZoneChanges: Sendable, CustomStringConvertible {
        /// The records that have changed.
        public let modifications: [CKDatabase.RecordZoneChange.Modification]
        /// The records that were deleted.
        public let deletions: [CKDatabase.RecordZoneChange.Deletion]

        /// The IDs of the records.
        public var description: String {
            "<FetchedRecordZoneChanges modified=\(modifications.map(\.record.recordID))"
                + " deleted=\(deletions.map(\.recordID))>"
        }
    }
}
