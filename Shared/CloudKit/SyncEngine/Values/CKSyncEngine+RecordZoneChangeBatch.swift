extension CKSyncEngine {
    /// Changes of records that the engine sends in one request.
    public struct RecordZoneChangeBatch: Sendable, CustomStringConvertible {
        /// The largest number of changes that ``init(pendingChanges:recordProvider:)`` takes: what a server accepts in one
        /// request, whatever its profile.
        static let maxCount = 200
        /// The size of records, in bytes, above which ``init(pendingChanges:recordProvider:)`` takes no more of them.
        static let maxBytes = 1 << 20

        /// The records to save.
        public var recordsToSave: [CKRecord]
        /// The IDs of the records to delete.
        public var recordIDsToDelete: [CKRecord.ID]
        /// Whether the changes of a zone are made either all or not at all. If one of them fails, the others fail with
        /// ``CKError/Code/batchRequestFailed``.
        public var atomicByZone: Bool

        /// Takes pending changes in their order, as many as fit in one request. Returns nil if there are none.
        ///
        /// If there are several changes of one record, the last counts.
        ///
        /// - Parameter recordProvider: returns the record to save; nil to skip the change, which stays pending.
        public init?(
            pendingChanges: [CKSyncEngine.PendingRecordZoneChange],
            recordProvider: @Sendable (CKRecord.ID) async -> CKRecord?
        ) async {
            self.init()
            var last: [CKRecord.ID: PendingRecordZoneChange] = [:]
            for change in pendingChanges { last[change.recordID] = change }
            var bytes = 0
            for id in pendingChanges.map(\.recordID) {
                guard let change = last.removeValue(forKey: id) else { continue }
                if recordsToSave.count + recordIDsToDelete.count == Self.maxCount { break }
                guard case .saveRecord = change else {
                    recordIDsToDelete.append(id)
                    continue
                }
                guard let record = await recordProvider(id) else { continue }
                bytes += record.approximateSize
                // A record that is too large on its own is sent alone, and the server refuses it.
                if bytes > Self.maxBytes, !recordsToSave.isEmpty { break }
                recordsToSave.append(record)
            }
            if recordsToSave.isEmpty, recordIDsToDelete.isEmpty { return nil }
        }

        /// Creates a batch. The server refuses a batch that is too large with ``CKError/Code/limitExceeded``.
        public init(
            recordsToSave: [CKRecord] = [], recordIDsToDelete: [CKRecord.ID] = [], atomicByZone: Bool = false
        ) {
            self.recordsToSave = recordsToSave
            self.recordIDsToDelete = recordIDsToDelete
            self.atomicByZone = atomicByZone
        }

        /// The IDs of the records to save and to delete.
        public var description: String {
            "<RecordZoneChangeBatch save=\(recordsToSave.map(\.recordID)) delete=\(recordIDsToDelete)"
                + " atomicByZone=\(atomicByZone)>"
        }
    }
}
