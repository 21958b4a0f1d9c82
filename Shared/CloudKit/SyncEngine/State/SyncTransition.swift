/// A change of an engine's state that belongs to an event.
enum SyncTransition {
    /// A page of changes of the database was handed over.
    case fetchedDatabase(token: String, modified: [CKRecordZone.ID], deleted: [CKRecordZone.ID], isLast: Bool)
    /// The position in the database has expired.
    case databaseTokenExpired
    /// A page of changes of a zone was handed over.
    case fetchedZone(CKRecordZone.ID, token: String, isLast: Bool)
    /// The position in a zone has expired.
    case zoneTokenExpired(CKRecordZone.ID)
    /// A zone does not exist any more.
    case lostZone(CKRecordZone.ID)
    /// Changes of zones, which were pending at a moment, need not be sent again.
    case settledZones([CKSyncEngine.PendingDatabaseChange], Int)
    /// Changes of records, which were pending at a moment, need not be sent again.
    case settledRecords([CKSyncEngine.PendingRecordZoneChange], Int)
    /// The application had nothing more to send when it was asked at a moment.
    case sentUntracked(Int)
    /// Another user is signed in, or none.
    case changedAccount(String?)
}

extension SyncState {
    /// Makes a change.
    mutating func apply(_ transition: SyncTransition) {
        switch transition {
        case .fetchedDatabase(let token, let modified, let deleted, let isLast):
            databaseToken = token
            for zone in deleted { forget(zone) }
            for zone in modified {
                unlistedZones.remove(zone)
                if !unfetchedZones.contains(zone) { unfetchedZones.append(zone) }
            }
            if isLast { unlistedZones = [] }
        case .databaseTokenExpired:
            databaseToken = nil
            unlistedZones = Set(zoneTokens.keys)
        case .fetchedZone(let zone, let token, let isLast):
            zoneTokens[zone] = token
            if isLast { unfetchedZones.removeAll { $0 == zone } }
        case .zoneTokenExpired(let zone):
            zoneTokens[zone] = nil
        case .lostZone(let zone):
            zoneTokens[zone] = nil
            unfetchedZones.removeAll { $0 == zone }
        case .settledZones(let changes, let moment):
            for change in changes {
                databaseChanges.remove(change, addedUntil: moment)
                if case .deleteZone(let zone) = change { zoneTokens[zone] = nil }
            }
        case .settledRecords(let changes, let moment):
            for change in changes { recordChanges.remove(change, addedUntil: moment) }
        case .sentUntracked(let moment):
            if untrackedMoment <= moment { hasUntrackedChanges = false }
        case .changedAccount(let user):
            if self.user != nil { self = SyncState(succeeding: self) }
            self.user = user
        }
    }

    private mutating func forget(_ zone: CKRecordZone.ID) {
        zoneTokens[zone] = nil
        unlistedZones.remove(zone)
        unfetchedZones.removeAll { $0 == zone }
    }

    /// An empty state, in which moments continue.
    private init(succeeding state: SyncState) {
        self.init()
        moment = state.moment + 1
    }
}
