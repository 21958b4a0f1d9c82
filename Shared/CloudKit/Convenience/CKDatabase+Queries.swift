extension CKDatabase {
    /// The records of a page of a query, and the cursor with which to fetch the next page.
    private typealias Page = (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    )

    /// Searches for records.
    @available(
        macOS, introduced: 10.10, deprecated: 12.0,
        renamed: "fetch(withQuery:inZoneWith:desiredKeys:resultsLimit:completionHandler:)"
    )
    @preconcurrency
    public func perform(
        _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?,
        completionHandler: @escaping @Sendable ([CKRecord]?, (any Error)?) -> Void
    ) {
        answer({ try await $0.found(query, zoneID) }, to: completionHandler)
    }

    /// Searches for records.
    @available(
        macOS, introduced: 12.0, deprecated: 12.0,
        message: "renamed to records(matching:inZoneWith:desiredKeys:resultsLimit:)"
    )
    public func records(matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?) async throws -> [CKRecord] {
        try await found(query, zoneID)
    }

    private func found(_ query: CKQuery, _ zoneID: CKRecordZone.ID?) async throws -> [CKRecord] {
        try await run(CKQueryOperation(query: query), zoneID, nil, CKQueryOperation.maximumResults).matchResults
            .map { try $0.1.get() }
    }

    /// Searches for records.
    @preconcurrency
    public func fetch(
        withQuery query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
                        queryCursor: CKQueryOperation.Cursor?
                    ), any Error
                >
            ) -> Void
    ) {
        answer(
            {
                try await $0.records(
                    matching: query, inZoneWith: zoneID, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
            }, to: completionHandler)
    }

    /// Searches for records.
    public func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        try await run(CKQueryOperation(query: query), zoneID, desiredKeys, resultsLimit)
    }

    /// Fetches the next page of a query.
    @preconcurrency
    public func fetch(
        withCursor queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
                        queryCursor: CKQueryOperation.Cursor?
                    ), any Error
                >
            ) -> Void
    ) {
        answer(
            {
                try await $0.records(
                    continuingMatchFrom: queryCursor, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
            }, to: completionHandler)
    }

    /// Fetches the next page of a query.
    public func records(
        continuingMatchFrom queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        try await run(CKQueryOperation(cursor: queryCursor), nil, desiredKeys, resultsLimit)
    }

    private func run(
        _ operation: CKQueryOperation, _ zoneID: CKRecordZone.ID?, _ desiredKeys: [CKRecord.FieldKey]?,
        _ resultsLimit: Int
    ) async throws -> Page {
        let matches = Locked<[(CKRecord.ID, Result<CKRecord, any Error>)]>([])
        if let zoneID { operation.zoneID = zoneID }
        operation.desiredKeys = desiredKeys
        operation.resultsLimit = resultsLimit
        operation.recordMatchedBlock = { id, result in matches.withLock { $0.append((id, result)) } }
        let cursor = try await run(operation) { $0.queryResultBlock = $1 }
        return (matches.copy, cursor)
    }
}
