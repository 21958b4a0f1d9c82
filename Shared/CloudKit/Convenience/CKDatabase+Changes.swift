extension CKDatabase {
    /// A change of a zone of a database.
    public enum DatabaseChange {
        /// A zone that was created or changed, or whose records changed.
        public struct Modification: Sendable {
            /// The zone.
            public let zoneID: CKRecordZone.ID

            init(zoneID: CKRecordZone.ID) { self.zoneID = zoneID }
        }

        /// A zone that was deleted.
        public struct Deletion: Sendable {
            /// Why a zone was deleted.
            public enum Reason: Sendable, Equatable {
                /// An application deleted the zone.
                case deleted
                /// The user deleted the application's data. Delete the local copy, and do not upload it again.
                case purged
                /// The keys of encrypted values were reset. Create the zone again, and upload the local copy.
                case encryptedDataReset
            }

            /// The zone.
            public let zoneID: CKRecordZone.ID
            /// Why the zone was deleted.
            public let reason: CKDatabase.DatabaseChange.Deletion.Reason

            init(zoneID: CKRecordZone.ID, reason: Reason) { (self.zoneID, self.reason) = (zoneID, reason) }

            /// Whether the user deleted the application's data.
            @available(macOS, introduced: 12.0, deprecated: 14.0, message: "now surfaced as Reason.purged")
            public var purged: Bool { reason == .purged }
        }
    }

    /// Fetches the zones that have changed.
    @preconcurrency
    public func fetchDatabaseChanges(
        since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        modifications: [CKDatabase.DatabaseChange.Modification],
                        deletions: [CKDatabase.DatabaseChange.Deletion],
                        changeToken: CKServerChangeToken, moreComing: Bool
                    ), any Error
                >
            ) -> Void
    ) {
        answer(
            { try await $0.databaseChanges(since: changeToken, resultsLimit: resultsLimit) }, to: completionHandler)
    }

    /// Fetches the zones that have changed.
    ///
    /// - Parameter changeToken: the token of an earlier answer; nil to fetch all zones.
    /// - Throws: ``CKError/Code/changeTokenExpired`` if the token is too old.
    public func databaseChanges(
        since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil
    ) async throws -> (
        modifications: [CKDatabase.DatabaseChange.Modification], deletions: [CKDatabase.DatabaseChange.Deletion],
        changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let modifications = Locked<[CKDatabase.DatabaseChange.Modification]>([])
        let deletions = Locked<[CKDatabase.DatabaseChange.Deletion]>([])
        let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: changeToken)
        operation.fetchAllChanges = false
        if let resultsLimit { operation.resultsLimit = resultsLimit }
        operation.recordZoneWithIDChangedBlock = { id in
            modifications.withLock { $0.append(DatabaseChange.Modification(zoneID: id)) }
        }
        func note(_ reason: DatabaseChange.Deletion.Reason) -> (CKRecordZone.ID) -> Void {
            { id in deletions.withLock { $0.append(DatabaseChange.Deletion(zoneID: id, reason: reason)) } }
        }
        operation.recordZoneWithIDWasDeletedBlock = note(.deleted)
        operation.recordZoneWithIDWasPurgedBlock = note(.purged)
        operation.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = note(.encryptedDataReset)
        let end = try await run(operation) { $0.fetchDatabaseChangesResultBlock = $1 }
        return (modifications.copy, deletions.copy, end.serverChangeToken, end.moreComing)
    }
}
