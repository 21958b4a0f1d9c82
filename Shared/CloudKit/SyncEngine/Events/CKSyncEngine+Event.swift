extension CKSyncEngine {
    /// Something that the engine tells its delegate.
    @nonexhaustive public enum Event: Sendable {
        /// The engine's state has changed. Store it.
        case stateUpdate(CKSyncEngine.Event.StateUpdate)
        /// A user has signed in or out.
        case accountChange(CKSyncEngine.Event.AccountChange)
        /// Changes of zones have been fetched.
        case fetchedDatabaseChanges(CKSyncEngine.Event.FetchedDatabaseChanges)
        /// Changes of records have been fetched.
        case fetchedRecordZoneChanges(CKSyncEngine.Event.FetchedRecordZoneChanges)
        /// Changes of zones have been sent, some of them perhaps without success.
        case sentDatabaseChanges(CKSyncEngine.Event.SentDatabaseChanges)
        /// Changes of records have been sent, some of them perhaps without success.
        case sentRecordZoneChanges(CKSyncEngine.Event.SentRecordZoneChanges)
        /// The engine is about to fetch changes.
        case willFetchChanges(CKSyncEngine.Event.WillFetchChanges)
        /// The engine is about to fetch the changes of a zone.
        case willFetchRecordZoneChanges(CKSyncEngine.Event.WillFetchRecordZoneChanges)
        /// The engine has fetched the changes of a zone.
        case didFetchRecordZoneChanges(CKSyncEngine.Event.DidFetchRecordZoneChanges)
        /// The engine has fetched changes.
        case didFetchChanges(CKSyncEngine.Event.DidFetchChanges)
        /// The engine is about to send changes.
        case willSendChanges(CKSyncEngine.Event.WillSendChanges)
        /// The engine has sent changes.
        case didSendChanges(CKSyncEngine.Event.DidSendChanges)
    }
}

extension CKSyncEngine.Event: CustomStringConvertible {
    /// The name and the contents of the event.
    public var description: String {
        switch self {
        case .stateUpdate(let event): "stateUpdate(\(event))"
        case .accountChange(let event): "accountChange(\(event))"
        case .fetchedDatabaseChanges(let event): "fetchedDatabaseChanges(\(event))"
        case .fetchedRecordZoneChanges(let event): "fetchedRecordZoneChanges(\(event))"
        case .sentDatabaseChanges(let event): "sentDatabaseChanges(\(event))"
        case .sentRecordZoneChanges(let event): "sentRecordZoneChanges(\(event))"
        case .willFetchChanges(let event): "willFetchChanges(\(event))"
        case .willFetchRecordZoneChanges(let event): "willFetchRecordZoneChanges(\(event))"
        case .didFetchRecordZoneChanges(let event): "didFetchRecordZoneChanges(\(event))"
        case .didFetchChanges(let event): "didFetchChanges(\(event))"
        case .willSendChanges(let event): "willSendChanges(\(event))"
        case .didSendChanges(let event): "didSendChanges(\(event))"
        }
    }
}
