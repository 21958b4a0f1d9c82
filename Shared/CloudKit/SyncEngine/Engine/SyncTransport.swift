/// What an engine asks of the server. Tests answer these requests without one.
struct SyncTransport: Sendable {
    /// Whose data the server would return.
    enum Account: Sendable, Equatable {
        /// No user is signed in.
        case none
        /// The user with this record name is signed in.
        case user(String)
    }

    /// A page of the changes of a database.
    struct DatabaseChanges: Sendable {
        var modified: [CKRecordZone.ID] = []
        var deleted: [CKDatabase.DatabaseChange.Deletion] = []
        var token: String
        var moreComing = false
    }

    /// A page of the changes of a zone.
    struct ZoneChanges: Sendable {
        var modified: [CKRecord] = []
        var deleted: [CKDatabase.RecordZoneChange.Deletion] = []
        var token: String
        var moreComing = false
    }

    /// The results of changes of zones, by their IDs.
    struct ZoneResults: Sendable {
        var saved: [CKRecordZone.ID: Result<CKRecordZone, CKError>] = [:]
        var deleted: [CKRecordZone.ID: Result<Void, CKError>] = [:]
    }

    /// The results of changes of records, by their IDs.
    struct RecordResults: Sendable {
        var saved: [CKRecord.ID: Result<CKRecord, CKError>] = [:]
        var deleted: [CKRecord.ID: Result<Void, CKError>] = [:]
    }

    /// A reason to synchronize.
    enum Notice: Sendable {
        /// Something has changed on the server, or may have changed while the engine did not listen.
        case changed
        /// Another user may be signed in.
        case accountChanged
    }

    /// Finds out who is signed in. Throws ``CKError/Code/accountTemporarilyUnavailable`` if a user is, but not usable.
    var account: @Sendable () async throws(CKError) -> Account
    /// Fetches a page of the changes of the database.
    var databaseChanges: @Sendable (_ token: String?, CKOperationGroup) async throws(CKError) -> DatabaseChanges
    /// Fetches a page of the changes of a zone.
    var zoneChanges:
        @Sendable (CKRecordZone.ID, _ token: String?, CKOperationGroup) async throws(CKError) -> ZoneChanges
    /// Saves and deletes zones.
    var modifyZones:
        @Sendable (_ saving: [CKRecordZone], _ deleting: [CKRecordZone.ID], CKOperationGroup) async throws(CKError)
            -> ZoneResults
    /// Saves and deletes records.
    var modifyRecords:
        @Sendable (CKSyncEngine.RecordZoneChangeBatch, CKOperationGroup) async throws(CKError) -> RecordResults
    /// Subscribes to the changes of the database, and calls a function for each notice until the task is cancelled. The
    /// function's first call says that the engine listens.
    var listen: @Sendable (_ heard: @escaping @Sendable (Notice) -> Void) async throws(CKError) -> Void
    /// Calls a function whenever another user may be signed in, until the task is cancelled.
    var watchAccount: @Sendable (_ changed: @escaping @Sendable () -> Void) async -> Void
}
