extension CKSyncEngine.Event {
    /// The engine is about to fetch changes. ``DidFetchChanges`` follows.
    public struct WillFetchChanges: Sendable, CustomStringConvertible {
        /// The attempt.
        public let context: CKSyncEngine.FetchChangesContext

        /// The attempt.
        public var description: String { "<WillFetchChanges \(context)>" }
    }

    /// The engine is about to fetch the changes of a zone. ``DidFetchRecordZoneChanges`` follows.
    public struct WillFetchRecordZoneChanges: Sendable, CustomStringConvertible {
        /// The zone.
        public let zoneID: CKRecordZone.ID

        /// The zone.
        public var description: String { "<WillFetchRecordZoneChanges \(zoneID)>" }
    }

    /// The engine has fetched the changes of a zone, or could not fetch them.
    public struct DidFetchRecordZoneChanges: Sendable, CustomStringConvertible {
        /// The zone.
        public let zoneID: CKRecordZone.ID
        /// Why not all changes could be fetched; nil if all were.
        public let error: CKError?

        /// The zone and the error.
        public var description: String {
            "<DidFetchRecordZoneChanges \(zoneID)\(error.map { " error=\($0.code)" } ?? "")>"
        }
    }

    /// The engine has fetched changes, or could not fetch them.
    public struct DidFetchChanges: Sendable, CustomStringConvertible {
        /// The attempt.
        public let context: CKSyncEngine.FetchChangesContext

        /// The attempt.
        public var description: String { "<DidFetchChanges \(context)>" }
    }

    /// The engine is about to send changes. ``DidSendChanges`` follows.
    public struct WillSendChanges: Sendable, CustomStringConvertible {
        /// The attempt.
        public let context: CKSyncEngine.SendChangesContext

        /// The attempt.
        public var description: String { "<WillSendChanges \(context)>" }
    }

    /// The engine has sent changes, or could not send them.
    public struct DidSendChanges: Sendable, CustomStringConvertible {
        /// The attempt.
        public let context: CKSyncEngine.SendChangesContext

        /// The attempt.
        public var description: String { "<DidSendChanges \(context)>" }
    }
}
