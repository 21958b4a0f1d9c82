/// What an engine knows: what is to be sent, and up to where changes have been handed over.
///
/// It changes only together with the delegate's turn: a change stops being pending in the turn in which the delegate
/// hears of its result, and a token advances in the turn in which the delegate has handled the changes before it.
/// Therefore, each copy that is taken between two turns is complete.
struct SyncState {
    /// The record name of the user to whom everything below belongs; nil if no user has signed in yet.
    var user: String?
    /// Whether the application has changes that it does not list here.
    var hasUntrackedChanges = false
    /// The position in the changes of the database; nil before the first fetch.
    var databaseToken: String?
    /// The positions in the changes of the zones.
    var zoneTokens: [CKRecordZone.ID: String] = [:]
    /// The zones with changes that have not been fetched, in the order in which they became known.
    var unfetchedZones: [CKRecordZone.ID] = []
    /// The zones that the server has not yet listed since the position in the database expired. If it does not list them,
    /// they were deleted.
    var unlistedZones: Set<CKRecordZone.ID> = []
    var databaseChanges = PendingList<CKSyncEngine.PendingDatabaseChange>()
    var recordChanges = PendingList<CKSyncEngine.PendingRecordZoneChange>()
    /// Increases with each change that the application makes.
    var moment = 0
    /// The moment at which the application last said that it has changes that are not listed here.
    private(set) var untrackedMoment = 0

    /// Whether there is something to send.
    var hasPendingChanges: Bool { hasUntrackedChanges || !databaseChanges.isEmpty || !recordChanges.isEmpty }

    mutating func add(_ changes: [CKSyncEngine.PendingRecordZoneChange]) {
        moment += 1
        for change in changes { recordChanges.add(change, at: moment) }
    }

    mutating func add(_ changes: [CKSyncEngine.PendingDatabaseChange]) {
        moment += 1
        for change in changes { databaseChanges.add(change, at: moment) }
    }

    mutating func setUntrackedChanges(_ exist: Bool) {
        moment += 1
        hasUntrackedChanges = exist
        if exist { untrackedMoment = moment }
    }
}
