extension CKSyncEngine.Event {
    /// Changes of zones that have been sent.
    ///
    /// Changes whose errors the engine handles itself, such as network errors, stay pending. The others are no longer
    /// pending: resolve the cause, and add them again.
    public struct SentDatabaseChanges: Sendable, CustomStringConvertible {
        /// The zones that were saved.
        public let savedZones: [CKRecordZone]
        /// The zones that could not be saved.
        public let failedZoneSaves: [CKSyncEngine.Event.SentDatabaseChanges.FailedZoneSave]
        /// The zones that were deleted.
        public let deletedZoneIDs: [CKRecordZone.ID]
        /// The zones that could not be deleted, with the reasons.
        public let failedZoneDeletes: [CKRecordZone.ID: CKError]

        /// A zone that could not be saved.
        public struct FailedZoneSave: Sendable, CustomStringConvertible {
            /// The zone.
            public let zone: CKRecordZone
            /// The reason.
            public let error: CKError

            /// The zone and the reason.
            public var description: String { "<FailedZoneSave \(zone.zoneID) \(error.code)>" }
        }

        /// The IDs of the zones.
        public var description: String {
            "<SentDatabaseChanges saved=\(savedZones.map(\.zoneID)) failed=\(failedZoneSaves)"
                + " deleted=\(deletedZoneIDs) failedDeletes=\(failedZoneDeletes.mapValues(\.code))>"
        }
    }

    /// Changes of records that have been sent.
    ///
    /// Store the system fields of the saved records. Changes whose errors the engine handles itself, such as network
    /// errors, stay pending. The others are no longer pending: resolve the cause, and add them again. The error of a
    /// conflict contains the server's record.
    public struct SentRecordZoneChanges: Sendable, CustomStringConvertible {
        /// The records that were saved.
        public let savedRecords: [CKRecord]
        /// The records that could not be saved.
        public let failedRecordSaves: [CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave]
        /// The records that were deleted.
        public let deletedRecordIDs: [CKRecord.ID]
        /// The records that could not be deleted, with the reasons.
        public let failedRecordDeletes: [CKRecord.ID: CKError]

        /// A record that could not be saved.
        public struct FailedRecordSave: Sendable, CustomStringConvertible {
            /// The record as it was sent.
            public let record: CKRecord
            /// The reason.
            public let error: CKError

            /// The record and the reason.
            public var description: String { "<FailedRecordSave \(record.recordID) \(error.code)>" }
        }

        /// The IDs of the records.
        public var description: String {
            "<SentRecordZoneChanges saved=\(savedRecords.map(\.recordID)) failed=\(failedRecordSaves)"
                + " deleted=\(deletedRecordIDs) failedDeletes=\(failedRecordDeletes.mapValues(\.code))>"
        }
    }
}
