extension CKDatabase {
    /// Fetches all zones.
    @preconcurrency
    public func fetchAllRecordZones(
        completionHandler: @escaping @Sendable ([CKRecordZone]?, (any Error)?) -> Void
    ) {
        answer({ try await $0.allRecordZones() }, to: completionHandler)
    }

    /// Fetches all zones.
    public func allRecordZones() async throws -> [CKRecordZone] {
        let zones = Locked<[CKRecordZone]>([])
        let operation = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
        operation.perRecordZoneResultBlock = { _, result in
            if case .success(let zone) = result { zones.withLock { $0.append(zone) } }
        }
        try await run(operation) { $0.fetchRecordZonesResultBlock = $1 }
        return zones.copy
    }

    /// Fetches zones.
    @preconcurrency
    public func fetch(
        withRecordZoneIDs zoneIDs: [CKRecordZone.ID],
        completionHandler:
            @escaping @Sendable (
                Result<[CKRecordZone.ID: Result<CKRecordZone, any Error>], any Error>
            ) -> Void
    ) {
        answer({ try await $0.recordZones(for: zoneIDs) }, to: completionHandler)
    }

    /// Fetches zones.
    public func recordZones(
        for ids: [CKRecordZone.ID]
    ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
        let results = Locked<[CKRecordZone.ID: Result<CKRecordZone, any Error>]>([:])
        let operation = CKFetchRecordZonesOperation(recordZoneIDs: ids)
        operation.perRecordZoneResultBlock = { id, result in results.withLock { $0[id] = result } }
        try await run(operation) { $0.fetchRecordZonesResultBlock = $1 }
        return results.copy
    }

    /// Fetches a zone.
    @preconcurrency
    public func fetch(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
    ) {
        answer({ try await $0.recordZone(for: zoneID) }, to: completionHandler)
    }

    /// Fetches a zone.
    public func recordZone(for zoneID: CKRecordZone.ID) async throws -> CKRecordZone {
        try await one(zoneID) { try await recordZones(for: [zoneID])[zoneID] }
    }

    /// Saves and deletes zones.
    @preconcurrency
    public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID],
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
                        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        answer(
            { try await $0.modifyRecordZones(saving: recordZonesToSave, deleting: recordZoneIDsToDelete) },
            to: completionHandler)
    }

    /// Saves and deletes zones.
    public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID]
    ) async throws -> (
        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    ) {
        let saves = Locked<[CKRecordZone.ID: Result<CKRecordZone, any Error>]>([:])
        let deletes = Locked<[CKRecordZone.ID: Result<Void, any Error>]>([:])
        let operation = CKModifyRecordZonesOperation(
            recordZonesToSave: recordZonesToSave, recordZoneIDsToDelete: recordZoneIDsToDelete)
        operation.perRecordZoneSaveBlock = { id, result in saves.withLock { $0[id] = result } }
        operation.perRecordZoneDeleteBlock = { id, result in deletes.withLock { $0[id] = result } }
        try await run(operation) { $0.modifyRecordZonesResultBlock = $1 }
        return (saves.copy, deletes.copy)
    }

    /// Saves a zone.
    @preconcurrency
    public func save(
        _ zone: CKRecordZone, completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
    ) {
        answer({ try await $0.save(zone) }, to: completionHandler)
    }

    /// Saves a zone.
    @discardableResult
    public func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
        try await one(zone.zoneID) {
            try await modifyRecordZones(saving: [zone], deleting: []).saveResults[zone.zoneID]
        }
    }

    /// Deletes a zone with all its records.
    @preconcurrency
    public func delete(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone.ID?, (any Error)?) -> Void
    ) {
        answer({ try await $0.deleteRecordZone(withID: zoneID) }, to: completionHandler)
    }

    /// Deletes a zone with all its records.
    @discardableResult
    public func deleteRecordZone(withID zoneID: CKRecordZone.ID) async throws -> CKRecordZone.ID {
        try await one(zoneID) { try await modifyRecordZones(saving: [], deleting: [zoneID]).deleteResults[zoneID] }
        return zoneID
    }
}
