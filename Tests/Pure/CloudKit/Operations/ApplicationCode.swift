import CloudKit
import Foundation

// Code as applications write it for Apple's framework, in a file that imports Foundation too. It is compiled, not run: the
// types of all functions must be Apple's.

private func query(_ name: String, since: Date, ids: [CKRecord.ID], here: CLLocation) -> CKQuery {
    let recent = NSPredicate(format: "name == %@ AND modificationDate > %@", name, since as NSDate)
    let named = NSPredicate(format: "recordID IN %@", ids)
    let near = NSPredicate(format: "distanceToLocation:fromLocation:(location, %@) < %f", here, 100.0 as Float)
    let counted = NSPredicate(format: "%K == %d", "count", 5)
    let listed = NSPredicate(format: "%K IN %@", argumentArray: ["tags", ["home", "shop"]])
    let parts: [NSPredicate] = [recent, named, near, counted, listed, NSPredicate(value: true)]
    let query = CKQuery(recordType: "Note", predicate: NSCompoundPredicate(andPredicateWithSubpredicates: parts))
    query.sortDescriptors = [
        NSSortDescriptor(key: "creationDate", ascending: false),
        CKLocationSortDescriptor(key: "location", relativeLocation: here),
    ]
    return query
}

private final class Synchronizer {
    var records: [CKRecord] = []
    var token: CKServerChangeToken?

    func fetch(_ zone: CKRecordZone.ID, in database: CKDatabase) -> CKFetchRecordZoneChangesOperation {
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zone], configurationsByRecordZoneID: [zone: .init(previousServerChangeToken: token)])
        operation.recordWasChangedBlock = { [weak self] _, result in
            if case .success(let record) = result { self?.records.append(record) }
        }
        operation.recordChangedBlock = { [weak self] record in self?.records.append(record) }
        operation.recordWithIDWasDeletedBlock = { id, type in print(id.recordName, type) }
        operation.recordZoneChangeTokensUpdatedBlock = { [weak self] _, token, _ in self?.token = token }
        operation.recordZoneFetchCompletionBlock = { [weak self] _, token, _, _, _ in self?.token = token }
        operation.recordZoneFetchResultBlock = { [weak self] _, result in
            switch result {
            case .success((let token, _, let moreComing)): if !moreComing { self?.token = token }
            case .failure(let error): print(error)
            }
        }
        operation.fetchRecordZoneChangesCompletionBlock = { error in
            if let error = error as? CKError, error.code == .partialFailure { print(error) }
        }
        operation.fetchRecordZoneChangesResultBlock = { result in if case .failure(let error) = result { print(error) }
        }
        operation.qualityOfService = .userInitiated
        operation.database = database
        return operation
    }

    func save(after fetch: Operation) -> CKModifyRecordsOperation {
        let operation = CKModifyRecordsOperation(recordsToSave: records, recordIDsToDelete: nil)
        operation.savePolicy = .changedKeys
        operation.isAtomic = false
        operation.perRecordProgressBlock = { record, progress in print(record.recordID, progress) }
        operation.perRecordSaveBlock = { _, result in _ = try? result.get() }
        operation.perRecordCompletionBlock = { record, error in print(record, error as Any) }
        operation.modifyRecordsCompletionBlock = { saved, deleted, error in
            print(saved?.count ?? 0, deleted?.count ?? 0, error as Any)
        }
        operation.modifyRecordsResultBlock = { result in
            switch result {
            case .success: break
            case .failure(let error): print(error)
            }
        }
        operation.configuration.isLongLived = true
        operation.group = CKOperationGroup()
        operation.addDependency(fetch)
        return operation
    }

    func find(_ query: CKQuery) -> CKQueryOperation {
        let operation = CKQueryOperation(query: query)
        operation.resultsLimit = CKQueryOperation.maximumResults
        operation.recordMatchedBlock = { _, result in _ = try? result.get() }
        operation.recordFetchedBlock = { [weak self] in self?.records.append($0) }
        operation.queryCompletionBlock = { cursor, error in print(cursor as Any, error as Any) }
        operation.queryResultBlock = { result in
            if case .success(let cursor?) = result { _ = CKQueryOperation(cursor: cursor) }
        }
        return operation
    }

    func subscribe() -> CKModifySubscriptionsOperation {
        let info = CKSubscription.NotificationInfo()
        info.shouldSendContentAvailable = true
        let subscription = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(value: true), options: [.firesOnRecordCreation, .firesOnce])
        subscription.notificationInfo = info
        let operation = CKModifySubscriptionsOperation(
            subscriptionsToSave: [subscription, CKDatabaseSubscription(subscriptionID: "all")],
            subscriptionIDsToDelete: nil)
        operation.modifySubscriptionsCompletionBlock = { _, _, error in print(error as Any) }
        return operation
    }

    func receive(_ userInfo: [AnyHashable: Any]) {
        guard let notification = CKNotification(fromRemoteNotificationDictionary: userInfo) else { return }
        switch notification {
        case let query as CKQueryNotification: print(query.recordID as Any, query.recordFields?["title"] as Any)
        case let zone as CKRecordZoneNotification: print(zone.recordZoneID as Any)
        case let database as CKDatabaseNotification: print(database.databaseScope == .private)
        default: break
        }
    }
}
