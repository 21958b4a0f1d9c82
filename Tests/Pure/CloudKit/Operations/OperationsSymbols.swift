import CloudKit

// Names every documented symbol of this group. If one is missing or has other labels, this file does not compile.

private func ckAcceptSharesOperation(_ object: CKAcceptSharesOperation) {
    _ = CKAcceptSharesOperation.init()
    _ = CKAcceptSharesOperation.init(shareMetadatas:)
    _ = CKAcceptSharesOperation.self
    _ = object.acceptSharesCompletionBlock
    _ = object.acceptSharesResultBlock
    _ = object.perShareCompletionBlock
    _ = object.perShareResultBlock
    _ = object.shareMetadatas
}

private func ckDatabaseOperation(_ object: CKDatabaseOperation) {
    _ = CKDatabaseOperation.self
    _ = object.database
}

private func ckDiscoverAllUserIdentitiesOperation(_ object: CKDiscoverAllUserIdentitiesOperation) {
    _ = CKDiscoverAllUserIdentitiesOperation.init()
    _ = CKDiscoverAllUserIdentitiesOperation.self
    _ = object.discoverAllUserIdentitiesCompletionBlock
    _ = object.discoverAllUserIdentitiesResultBlock
    _ = object.userIdentityDiscoveredBlock
}

private func ckDiscoverUserIdentitiesOperation(_ object: CKDiscoverUserIdentitiesOperation) {
    _ = CKDiscoverUserIdentitiesOperation.init()
    _ = CKDiscoverUserIdentitiesOperation.init(userIdentityLookupInfos:)
    _ = CKDiscoverUserIdentitiesOperation.self
    _ = object.discoverUserIdentitiesCompletionBlock
    _ = object.discoverUserIdentitiesResultBlock
    _ = object.userIdentityDiscoveredBlock
    _ = object.userIdentityLookupInfos
}

private func ckFetchDatabaseChangesOperation(_ object: CKFetchDatabaseChangesOperation) {
    _ = CKFetchDatabaseChangesOperation.init()
    _ = CKFetchDatabaseChangesOperation.init(previousServerChangeToken:)
    _ = CKFetchDatabaseChangesOperation.self
    _ = object.changeTokenUpdatedBlock
    _ = object.fetchAllChanges
    _ = object.fetchDatabaseChangesCompletionBlock
    _ = object.fetchDatabaseChangesResultBlock
    _ = object.previousServerChangeToken
    _ = object.recordZoneWithIDChangedBlock
    _ = object.recordZoneWithIDWasDeletedBlock
    _ = object.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock
    _ = object.recordZoneWithIDWasPurgedBlock
    _ = object.resultsLimit
}

private func ckFetchNotificationChangesOperation() {
    _ = CKFetchNotificationChangesOperation.self
}

private func ckFetchRecordChangesOperation(_ object: CKFetchRecordChangesOperation) {
    _ = CKFetchRecordChangesOperation.init()
    _ = CKFetchRecordChangesOperation.init(recordZoneID:previousServerChangeToken:)
    _ = CKFetchRecordChangesOperation.self
    _ = object.desiredKeys
    _ = object.fetchRecordChangesCompletionBlock
    _ = object.moreComing
    _ = object.previousServerChangeToken
    _ = object.recordChangedBlock
    _ = object.recordWithIDWasDeletedBlock
    _ = object.recordZoneID
    _ = object.resultsLimit
}

private func ckFetchRecordZoneChangesOperation(_ object: CKFetchRecordZoneChangesOperation) {
    _ = CKFetchRecordZoneChangesOperation.init()
    _ = CKFetchRecordZoneChangesOperation.init(recordZoneIDs:configurationsByRecordZoneID:)
    _ = CKFetchRecordZoneChangesOperation.init(recordZoneIDs:optionsByRecordZoneID:)
    _ = CKFetchRecordZoneChangesOperation.self
    _ = object.configurationsByRecordZoneID
    _ = object.fetchAllChanges
    _ = object.fetchRecordZoneChangesCompletionBlock
    _ = object.fetchRecordZoneChangesResultBlock
    _ = object.optionsByRecordZoneID
    _ = object.recordChangedBlock
    _ = object.recordWasChangedBlock
    _ = object.recordWithIDWasDeletedBlock
    _ = object.recordZoneChangeTokensUpdatedBlock
    _ = object.recordZoneFetchCompletionBlock
    _ = object.recordZoneFetchResultBlock
    _ = object.recordZoneIDs
}

private func ckFetchRecordZoneChangesOperationZoneConfiguration(
    _ object: CKFetchRecordZoneChangesOperation.ZoneConfiguration
) {
    _ = CKFetchRecordZoneChangesOperation.ZoneConfiguration.init()
    _ = CKFetchRecordZoneChangesOperation.ZoneConfiguration.init(previousServerChangeToken:resultsLimit:desiredKeys:)
    _ = CKFetchRecordZoneChangesOperation.ZoneConfiguration.self
    _ = object.desiredKeys
    _ = object.previousServerChangeToken
    _ = object.resultsLimit
}

private func ckFetchRecordZoneChangesOperationZoneOptions() {
    _ = CKFetchRecordZoneChangesOperation.ZoneOptions.init()
    _ = CKFetchRecordZoneChangesOperation.ZoneOptions.self
}

private func ckFetchRecordZonesOperation(_ object: CKFetchRecordZonesOperation) {
    _ = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
    _ = CKFetchRecordZonesOperation.init()
    _ = CKFetchRecordZonesOperation.init(recordZoneIDs:)
    _ = CKFetchRecordZonesOperation.self
    _ = object.fetchRecordZonesCompletionBlock
    _ = object.fetchRecordZonesResultBlock
    _ = object.perRecordZoneResultBlock
    _ = object.recordZoneIDs
}

private func ckFetchRecordsOperation(_ object: CKFetchRecordsOperation) {
    _ = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
    _ = CKFetchRecordsOperation.init()
    _ = CKFetchRecordsOperation.init(recordIDs:)
    _ = CKFetchRecordsOperation.self
    _ = object.desiredKeys
    _ = object.fetchRecordsCompletionBlock
    _ = object.fetchRecordsResultBlock
    _ = object.perRecordCompletionBlock
    _ = object.perRecordProgressBlock
    _ = object.perRecordResultBlock
    _ = object.recordIDs
}

private func ckFetchShareMetadataOperation(_ object: CKFetchShareMetadataOperation) {
    _ = CKFetchShareMetadataOperation.init()
    _ = CKFetchShareMetadataOperation.init(shareURLs:)
    _ = CKFetchShareMetadataOperation.self
    _ = object.fetchShareMetadataCompletionBlock
    _ = object.fetchShareMetadataResultBlock
    _ = object.perShareMetadataBlock
    _ = object.perShareMetadataResultBlock
    _ = object.rootRecordDesiredKeys
    _ = object.shareURLs
    _ = object.shouldFetchRootRecord
}

private func ckFetchShareParticipantsOperation(_ object: CKFetchShareParticipantsOperation) {
    _ = CKFetchShareParticipantsOperation.init()
    _ = CKFetchShareParticipantsOperation.init(userIdentityLookupInfos:)
    _ = CKFetchShareParticipantsOperation.self
    _ = object.fetchShareParticipantsCompletionBlock
    _ = object.fetchShareParticipantsResultBlock
    _ = object.perShareParticipantResultBlock
    _ = object.shareParticipantFetchedBlock
    _ = object.userIdentityLookupInfos
}

private func ckFetchSubscriptionsOperation(_ object: CKFetchSubscriptionsOperation) {
    _ = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
    _ = CKFetchSubscriptionsOperation.init()
    _ = CKFetchSubscriptionsOperation.init(subscriptionIDs:)
    _ = CKFetchSubscriptionsOperation.self
    _ = object.fetchSubscriptionCompletionBlock
    _ = object.fetchSubscriptionsResultBlock
    _ = object.perSubscriptionResultBlock
    _ = object.subscriptionIDs
}

private func ckFetchWebAuthTokenOperation(_ object: CKFetchWebAuthTokenOperation) {
    _ = CKFetchWebAuthTokenOperation.init()
    _ = CKFetchWebAuthTokenOperation.init(apiToken:)
    _ = CKFetchWebAuthTokenOperation.self
    _ = object.apiToken
    _ = object.fetchWebAuthTokenCompletionBlock
    _ = object.fetchWebAuthTokenResultBlock
}

private func ckMarkNotificationsReadOperation() {
    _ = CKMarkNotificationsReadOperation.self
}

private func ckModifyBadgeOperation() {
    _ = CKModifyBadgeOperation.self
}

private func ckModifyRecordZonesOperation(_ object: CKModifyRecordZonesOperation) {
    _ = CKModifyRecordZonesOperation.init()
    _ = CKModifyRecordZonesOperation.init(recordZonesToSave:recordZoneIDsToDelete:)
    _ = CKModifyRecordZonesOperation.self
    _ = object.modifyRecordZonesCompletionBlock
    _ = object.modifyRecordZonesResultBlock
    _ = object.perRecordZoneDeleteBlock
    _ = object.perRecordZoneSaveBlock
    _ = object.recordZoneIDsToDelete
    _ = object.recordZonesToSave
}

private func ckModifyRecordsOperation(_ object: CKModifyRecordsOperation) {
    _ = CKModifyRecordsOperation.init()
    _ = CKModifyRecordsOperation.init(recordsToSave:recordIDsToDelete:)
    _ = CKModifyRecordsOperation.self
    _ = object.clientChangeTokenData
    _ = object.isAtomic
    _ = object.modifyRecordsCompletionBlock
    _ = object.modifyRecordsResultBlock
    _ = object.perRecordCompletionBlock
    _ = object.perRecordDeleteBlock
    _ = object.perRecordProgressBlock
    _ = object.perRecordSaveBlock
    _ = object.recordIDsToDelete
    _ = object.recordsToSave
    _ = object.savePolicy
}

private func ckModifyRecordsOperationRecordSavePolicy() {
    _ = CKModifyRecordsOperation.RecordSavePolicy.allKeys
    _ = CKModifyRecordsOperation.RecordSavePolicy.changedKeys
    _ = CKModifyRecordsOperation.RecordSavePolicy.ifServerRecordUnchanged
    _ = CKModifyRecordsOperation.RecordSavePolicy.init(rawValue:)
    _ = CKModifyRecordsOperation.RecordSavePolicy.self
}

private func ckModifySubscriptionsOperation(_ object: CKModifySubscriptionsOperation) {
    _ = CKModifySubscriptionsOperation.init()
    _ = CKModifySubscriptionsOperation.init(subscriptionsToSave:subscriptionIDsToDelete:)
    _ = CKModifySubscriptionsOperation.self
    _ = object.modifySubscriptionsCompletionBlock
    _ = object.modifySubscriptionsResultBlock
    _ = object.perSubscriptionDeleteBlock
    _ = object.perSubscriptionSaveBlock
    _ = object.subscriptionIDsToDelete
    _ = object.subscriptionsToSave
}

private func ckOperation(_ object: CKOperation) {
    _ = CKOperation.init()
    _ = CKOperation.self
    _ = object.allowsCellularAccess
    _ = object.configuration
    _ = object.container
    _ = object.group
    _ = object.isLongLived
    _ = object.longLivedOperationWasPersistedBlock
    _ = object.operationID
    _ = object.timeoutIntervalForRequest
    _ = object.timeoutIntervalForResource
}

private func ckOperationConfiguration(_ object: CKOperation.Configuration) {
    _ = CKOperation.Configuration.init()
    _ = CKOperation.Configuration.self
    _ = object.allowsCellularAccess
    _ = object.container
    _ = object.isLongLived
    _ = object.qualityOfService
    _ = object.timeoutIntervalForRequest
    _ = object.timeoutIntervalForResource
}

private func ckOperationID() {
    _ = CKOperation.ID.self
}

private func ckOperationGroup(_ object: CKOperationGroup) {
    _ = CKOperationGroup.init()
    _ = CKOperationGroup.init(coder:)
    _ = CKOperationGroup.self
    _ = object.defaultConfiguration
    _ = object.expectedReceiveSize
    _ = object.expectedSendSize
    _ = object.name
    _ = object.operationGroupID
    _ = object.quantity
}

private func ckOperationGroupTransferSize() {
    _ = CKOperationGroup.TransferSize.gigabytes
    _ = CKOperationGroup.TransferSize.hundredsOfGigabytes
    _ = CKOperationGroup.TransferSize.hundredsOfMegabytes
    _ = CKOperationGroup.TransferSize.init(rawValue:)
    _ = CKOperationGroup.TransferSize.kilobytes
    _ = CKOperationGroup.TransferSize.megabytes
    _ = CKOperationGroup.TransferSize.self
    _ = CKOperationGroup.TransferSize.tensOfGigabytes
    _ = CKOperationGroup.TransferSize.tensOfMegabytes
    _ = CKOperationGroup.TransferSize.unknown
}

private func ckQueryOperation(_ object: CKQueryOperation) {
    _ = CKQueryOperation.init()
    _ = CKQueryOperation.init(cursor:)
    _ = CKQueryOperation.init(query:)
    _ = CKQueryOperation.maximumResults
    _ = CKQueryOperation.self
    _ = object.cursor
    _ = object.desiredKeys
    _ = object.query
    _ = object.queryCompletionBlock
    _ = object.queryResultBlock
    _ = object.recordFetchedBlock
    _ = object.recordMatchedBlock
    _ = object.resultsLimit
    _ = object.zoneID
}

private func ckQueryOperationCursor() {
    _ = CKQueryOperation.Cursor.self
}
