extension CKDatabase {
    /// Fetches records.
    @preconcurrency
    public func fetch(
        withRecordIDs recordIDs: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil,
        completionHandler: @escaping @Sendable (Result<[CKRecord.ID: Result<CKRecord, any Error>], any Error>) -> Void
    ) {
        answer({ try await $0.records(for: recordIDs, desiredKeys: desiredKeys) }, to: completionHandler)
    }

    /// Fetches records.
    ///
    /// - Throws: an error that concerns all of them.
    public func records(
        for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
    ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        let results = Locked<[CKRecord.ID: Result<CKRecord, any Error>]>([:])
        let operation = CKFetchRecordsOperation(recordIDs: ids)
        operation.desiredKeys = desiredKeys
        operation.perRecordResultBlock = { id, result in results.withLock { $0[id] = result } }
        try await run(operation) { $0.fetchRecordsResultBlock = $1 }
        return results.copy
    }

    /// Fetches a record.
    @preconcurrency
    public func fetch(
        withRecordID recordID: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) {
        answer({ try await $0.record(for: recordID) }, to: completionHandler)
    }

    /// Fetches a record.
    public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
        try await one(recordID) { try await records(for: [recordID])[recordID] }
    }

    /// Saves and deletes records.
    @preconcurrency
    public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
                        deleteResults: [CKRecord.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        answer(
            {
                try await $0.modifyRecords(
                    saving: recordsToSave, deleting: recordIDsToDelete, savePolicy: savePolicy, atomically: atomically)
            }, to: completionHandler)
    }

    /// Saves and deletes records.
    ///
    /// - Throws: an error that concerns all of them.
    public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>], deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ) {
        let saves = Locked<[CKRecord.ID: Result<CKRecord, any Error>]>([:])
        let deletes = Locked<[CKRecord.ID: Result<Void, any Error>]>([:])
        let operation = CKModifyRecordsOperation(recordsToSave: recordsToSave, recordIDsToDelete: recordIDsToDelete)
        operation.savePolicy = savePolicy
        operation.isAtomic = atomically
        operation.perRecordSaveBlock = { id, result in saves.withLock { $0[id] = result } }
        operation.perRecordDeleteBlock = { id, result in deletes.withLock { $0[id] = result } }
        try await run(operation) { $0.modifyRecordsResultBlock = $1 }
        return (saves.copy, deletes.copy)
    }

    /// Saves a record, unless it has changed on the server.
    @preconcurrency
    public func save(
        _ record: CKRecord, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) {
        answer({ try await $0.save(record) }, to: completionHandler)
    }

    /// Saves a record, unless it has changed on the server.
    @discardableResult
    public func save(_ record: CKRecord) async throws -> CKRecord {
        try await one(record.recordID) {
            try await modifyRecords(saving: [record], deleting: []).saveResults[record.recordID]
        }
    }

    /// Deletes a record.
    @preconcurrency
    public func delete(
        withRecordID recordID: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
    ) {
        answer({ try await $0.deleteRecord(withID: recordID) }, to: completionHandler)
    }

    /// Deletes a record.
    @discardableResult
    public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
        try await one(recordID) { try await modifyRecords(saving: [], deleting: [recordID]).deleteResults[recordID] }
        return recordID
    }

    /// Returns the result of the only item of an operation.
    func one<Value>(
        _ item: AnyHashable, _ body: () async throws -> Result<Value, any Error>?
    ) async throws -> Value {
        let result: Result<Value, any Error>?
        do {
            result = try await body()
        } catch {
            throw OperationRun.error(of: item, error)
        }
        guard let result else { throw CKError.unexpectedAnswer("it has no result for the item") }
        return try result.get()
    }
}
