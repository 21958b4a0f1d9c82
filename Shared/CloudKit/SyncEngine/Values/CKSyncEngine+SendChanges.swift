extension CKSyncEngine {
    /// What to send.
    public struct SendChangesOptions: Sendable, CustomStringConvertible {
        /// The records whose changes are sent. Changes of zones are sent in any case, because records need their zones.
        public var scope: CKSyncEngine.SendChangesOptions.Scope
        /// The group of the operations.
        public var operationGroup: CKOperationGroup

        /// Creates options. Without a group, the operations get a group of their own.
        public init(scope: CKSyncEngine.SendChangesOptions.Scope = .all, operationGroup: CKOperationGroup? = nil) {
            self.scope = scope
            self.operationGroup = operationGroup ?? .named("CKSyncEngine-SendChanges")
        }

        /// The scope.
        public var description: String { "<SendChangesOptions scope=\(scope)>" }

        /// The records whose changes are sent.
        @nonexhaustive public enum Scope: Sendable, Equatable, CustomStringConvertible {
            /// All records.
            case all
            /// The records of all zones except these.
            case allExcluding([CKRecordZone.ID])
            /// Only the records of these zones.
            case zoneIDs([CKRecordZone.ID])
            /// Only these records.
            case recordIDs([CKRecord.ID])

            /// Returns whether the scope includes a record.
            public func contains(_ recordID: CKRecord.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let ids): !ids.contains(recordID.zoneID)
                case .zoneIDs(let ids): ids.contains(recordID.zoneID)
                case .recordIDs(let ids): ids.contains(recordID)
                }
            }

            /// Returns whether the scope includes the record of a pending change.
            public func contains(_ pendingChange: CKSyncEngine.PendingRecordZoneChange) -> Bool {
                contains(pendingChange.recordID)
            }

            /// The kind of scope and its zones or records.
            public var description: String {
                switch self {
                case .all: "all"
                case .allExcluding(let ids): "allExcluding(\(ids))"
                case .zoneIDs(let ids): "zoneIDs(\(ids))"
                case .recordIDs(let ids): "recordIDs(\(ids))"
                }
            }
        }
    }

    /// One attempt to send changes.
    public struct SendChangesContext: Sendable, CustomStringConvertible {
        /// Why the engine sends changes.
        public let reason: CKSyncEngine.SyncReason
        /// What it sends.
        public let options: CKSyncEngine.SendChangesOptions

        /// The reason and the options.
        public var description: String { "<SendChangesContext reason=\(reason) options=\(options)>" }
    }
}
