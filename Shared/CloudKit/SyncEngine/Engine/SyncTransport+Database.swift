internal import CloudKitModel

extension SyncTransport {
    /// Requests to a database.
    init(_ database: CKDatabase, _ subscriptionID: CKSubscription.ID?) {
        account = { () async throws(CKError) in try await database.container.syncAccount() }
        databaseChanges = { token, group async throws(CKError) in
            try await database.inGroup(group).databasePage(since: token)
        }
        zoneChanges = { zone, token, group async throws(CKError) in
            try await database.inGroup(group).zonePage(zone, since: token)
        }
        modifyZones = { saves, deletes, group async throws(CKError) in
            try await database.inGroup(group).modifyZones(saves, deletes)
        }
        modifyRecords = { batch, group async throws(CKError) in
            try await database.inGroup(group).modifyRecords(batch)
        }
        listen = { heard async throws(CKError) in
            try await database.listen(subscriptionID ?? "CKSyncEngine", heard)
        }
        watchAccount = { changed in
            let observer = NotificationCenter.default.addObserver(
                forName: .CKAccountChanged, object: nil, queue: nil
            ) { _ in changed() }
            let held = Locked<any NSObjectProtocol>(observer)
            let never = AsyncStream<Never> { _ in }
            for await _ in never {}
            NotificationCenter.default.removeObserver(held.copy)
        }
    }
}

extension CKContainer {
    /// Finds out who is signed in. A session that has ended, but whose token is still there, is an account that cannot be
    /// used for the time being: an application must not delete its data because a session has expired.
    fileprivate func syncAccount() async throws(CKError) -> SyncTransport.Account {
        let connection = try webConnection()
        if let session = connection.session, session.isSignedOut { return .none }
        do throws(CKError) {
            return .user(try await connection.caller())
        } catch {
            guard error.code == .notAuthenticated else { throw error }
            throw CKError(.accountTemporarilyUnavailable, "The session has ended. Sign in again.", underlying: error)
        }
    }
}

extension CKDatabase {
    fileprivate func inGroup(_ group: CKOperationGroup) -> CKDatabase { configuredWith(group: group) { $0 } }

    fileprivate func databasePage(since token: String?) async throws(CKError) -> SyncTransport.DatabaseChanges {
        do {
            let page = try await databaseChanges(since: token.map(CKServerChangeToken.init))
            return SyncTransport.DatabaseChanges(
                modified: page.modifications.map(\.zoneID), deleted: page.deletions, token: page.changeToken.syncToken,
                moreComing: page.moreComing)
        } catch {
            throw CKError(wrapping: error)
        }
    }

    fileprivate func zonePage(
        _ zone: CKRecordZone.ID, since token: String?
    ) async throws(CKError) -> SyncTransport.ZoneChanges {
        do {
            let page = try await recordZoneChanges(inZoneWith: zone, since: token.map(CKServerChangeToken.init))
            // A record without its assets must not count as fetched.
            let modified = try page.modificationResultsByID.values.map { try $0.get().record }
            return SyncTransport.ZoneChanges(
                modified: modified, deleted: page.deletions, token: page.changeToken.syncToken,
                moreComing: page.moreComing)
        } catch {
            throw CKError(wrapping: error)
        }
    }

    fileprivate func modifyZones(
        _ saves: [CKRecordZone], _ deletes: [CKRecordZone.ID]
    ) async throws(CKError) -> SyncTransport.ZoneResults {
        let results = Locked(SyncTransport.ZoneResults())
        let operation = CKModifyRecordZonesOperation(recordZonesToSave: saves, recordZoneIDsToDelete: deletes)
        operation.perRecordZoneSaveBlock = { id, result in
            results.withLock { $0.saved[id] = result.mapError(CKError.init(wrapping:)) }
        }
        operation.perRecordZoneDeleteBlock = { id, result in
            results.withLock { $0.deleted[id] = result.mapError(CKError.init(wrapping:)) }
        }
        do {
            try await run(operation) { $0.modifyRecordZonesResultBlock = $1 }
        } catch {
            let error = CKError(wrapping: error)
            if error.code != .partialFailure { throw error }
        }
        return results.copy
    }

    fileprivate func modifyRecords(
        _ batch: CKSyncEngine.RecordZoneChangeBatch
    ) async throws(CKError) -> SyncTransport.RecordResults {
        let results = Locked(SyncTransport.RecordResults())
        let operation = CKModifyRecordsOperation(
            recordsToSave: batch.recordsToSave, recordIDsToDelete: batch.recordIDsToDelete)
        operation.isAtomic = batch.atomicByZone
        operation.perRecordSaveBlock = { id, result in
            results.withLock { $0.saved[id] = result.mapError(CKError.init(wrapping:)) }
        }
        operation.perRecordDeleteBlock = { id, result in
            results.withLock { $0.deleted[id] = result.mapError(CKError.init(wrapping:)) }
        }
        do {
            try await run(operation) { $0.modifyRecordsResultBlock = $1 }
        } catch {
            let error = CKError(wrapping: error)
            guard error.code == .partialFailure else { throw error }
        }
        return results.copy
    }

    /// Subscribes to the changes of the database, and waits for notifications.
    fileprivate func listen(
        _ subscriptionID: String, _ heard: @escaping @Sendable (SyncTransport.Notice) -> Void
    ) async throws(CKError) {
        do {
            let subscription = CKDatabaseSubscription(subscriptionID: subscriptionID)
            let info = CKSubscription.NotificationInfo()
            info.shouldSendContentAvailable = true
            subscription.notificationInfo = info
            _ = try await modifySubscriptions(saving: [subscription], deleting: []).saveResults[subscriptionID]?.get()
            var feed = EventFeed { [container] () throws(CKError) in try container.webConnection() }
            heard(.changed)
            while true {
                // Every notification of the user may concern the database; fetching without need is cheap.
                _ = try await feed.next()
                heard(.changed)
            }
        } catch {
            throw CKError(wrapping: error)
        }
    }
}
