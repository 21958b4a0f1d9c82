extension CKDatabase {
    /// A change of a record of a zone.
    public enum RecordZoneChange {
        /// A record that was created or changed.
        public struct Modification: Sendable {
            /// The record in its newest state.
            public let record: CKRecord

            init(record: CKRecord) { self.record = record }
        }

        /// A record that was deleted.
        public struct Deletion: Sendable {
            /// The record's ID.
            public let recordID: CKRecord.ID
            /// The record's type.
            public let recordType: CKRecord.RecordType

            init(recordID: CKRecord.ID, recordType: CKRecord.RecordType) {
                (self.recordID, self.recordType) = (recordID, recordType)
            }
        }
    }

    /// Fetches the records of a zone that have changed.
    @preconcurrency
    public func fetchRecordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        modificationResultsByID: [CKRecord.ID: Result<
                            CKDatabase.RecordZoneChange.Modification, any Error
                        >],
                        deletions: [CKDatabase.RecordZoneChange.Deletion], changeToken: CKServerChangeToken,
                        moreComing: Bool
                    ), any Error
                >
            ) -> Void
    ) {
        answer(
            {
                try await $0.recordZoneChanges(
                    inZoneWith: zoneID, since: changeToken, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
            }, to: completionHandler)
    }

    /// Fetches the records of a zone that have changed.
    ///
    /// - Parameter changeToken: the token of an earlier answer; nil to fetch all records.
    /// - Throws: ``CKError/Code/changeTokenExpired`` if the token is too old.
    public func recordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
    ) async throws -> (
        modificationResultsByID: [CKRecord.ID: Result<CKDatabase.RecordZoneChange.Modification, any Error>],
        deletions: [CKDatabase.RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let changes = Locked<[CKRecord.ID: Result<RecordZoneChange.Modification, any Error>]>([:])
        let deletions = Locked<[RecordZoneChange.Deletion]>([])
        let end = Locked<Result<(CKServerChangeToken, Data?, Bool), any Error>?>(nil)
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zoneID],
            configurationsByRecordZoneID: [
                zoneID: CKFetchRecordZoneChangesOperation.ZoneConfiguration(
                    previousServerChangeToken: changeToken, resultsLimit: resultsLimit, desiredKeys: desiredKeys)
            ])
        operation.fetchAllChanges = false
        operation.recordWasChangedBlock = { id, result in
            changes.withLock { $0[id] = result.map { RecordZoneChange.Modification(record: $0) } }
        }
        operation.recordWithIDWasDeletedBlock = { id, type in
            deletions.withLock { $0.append(RecordZoneChange.Deletion(recordID: id, recordType: type)) }
        }
        operation.recordZoneFetchResultBlock = { _, result in
            end.withLock { $0 = result.map { ($0.serverChangeToken, $0.clientChangeTokenData, $0.moreComing) } }
        }
        do {
            try await run(operation) { $0.fetchRecordZoneChangesResultBlock = $1 }
        } catch {
            if case .failure(let zoneError) = end.copy { throw zoneError }
            throw OperationRun.error(of: zoneID, error)
        }
        guard let (token, _, moreComing) = try end.copy?.get() else {
            throw CKError.unexpectedAnswer("it has no result for the zone")
        }
        return (changes.copy, deletions.copy, token, moreComing)
    }
}
