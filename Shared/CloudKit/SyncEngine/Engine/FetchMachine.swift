/// Decides what is requested to fetch changes, and what is handed over. It neither sends nor waits.
struct FetchMachine {
    /// The next request.
    enum Step: Equatable {
        case databaseChanges(since: String?)
        case zoneChanges(CKRecordZone.ID, since: String?)
        case done
    }

    private let context: CKSyncEngine.FetchChangesContext
    private var isDatabaseDone = false
    /// The zones of which the delegate has been told that their changes are fetched.
    private var openZones: [CKRecordZone.ID] = []
    /// The zones that are not asked for again in this attempt.
    private var skippedZones: Set<CKRecordZone.ID> = []
    /// The tokens that have expired in this attempt, so that a server that refuses every token does not cause a loop.
    private var expiredZones: Set<CKRecordZone.ID> = []
    private var hasDatabaseExpired = false
    private var zoneErrors: [AnyHashable: CKError] = [:]
    /// Why the attempt ended early.
    private var failure: CKError?

    init(_ context: CKSyncEngine.FetchChangesContext) { self.context = context }

    /// The error of the attempt; nil if everything in the scope was fetched.
    var error: CKError? { failure ?? .partialFailure(zoneErrors) }

    /// The first event.
    var beginning: HandOver { HandOver(event: .willFetchChanges(.init(context: context))) }

    /// The last events.
    mutating func ending() -> [HandOver] {
        let closed = openZones.map { close($0, failure) }
        openZones = []
        return closed + [HandOver(event: .didFetchChanges(.init(context: context)))]
    }

    /// Returns the next request.
    mutating func next(_ state: SyncState, _ options: CKSyncEngine.FetchChangesOptions) -> Step {
        if failure != nil { return .done }
        if !isDatabaseDone { return .databaseChanges(since: state.databaseToken) }
        let candidates = state.unfetchedZones.filter { options.scope.contains($0) && !skippedZones.contains($0) }
        let wanted = options.prioritizedZoneIDs.first(where: candidates.contains)
        guard let zone = wanted ?? openZones.first(where: candidates.contains) ?? candidates.first else { return .done }
        return .zoneChanges(zone, since: state.zoneTokens[zone])
    }

    /// What is handed over before a zone is requested.
    mutating func begin(_ zone: CKRecordZone.ID) -> [HandOver] {
        guard !openZones.contains(zone) else { return [] }
        openZones.append(zone)
        return [HandOver(event: .willFetchRecordZoneChanges(.init(zoneID: zone)))]
    }

    /// Takes a page of the changes of the database.
    mutating func receive(_ page: SyncTransport.DatabaseChanges, _ state: SyncState) -> [HandOver] {
        var deleted = page.deleted
        isDatabaseDone = !page.moreComing
        if isDatabaseDone {
            let listed = Set(page.modified).union(page.deleted.map(\.zoneID))
            deleted += state.unlistedZones.subtracting(listed).map { .init(zoneID: $0, reason: .deleted) }
        }
        let transition = SyncTransition.fetchedDatabase(
            token: page.token, modified: page.modified, deleted: deleted.map(\.zoneID), isLast: isDatabaseDone)
        guard !page.modified.isEmpty || !deleted.isEmpty else { return [HandOver(after: [transition])] }
        let event = CKSyncEngine.Event.FetchedDatabaseChanges(
            modifications: page.modified.map { .init(zoneID: $0) }, deletions: deleted)
        return [HandOver(event: .fetchedDatabaseChanges(event), after: [transition])]
    }

    /// Takes the error of a request for changes of the database.
    mutating func receiveDatabaseError(_ error: CKError) -> [HandOver] {
        guard error.code == .changeTokenExpired, !hasDatabaseExpired else {
            failure = error
            return []
        }
        hasDatabaseExpired = true
        return [HandOver(after: [.databaseTokenExpired])]
    }

    /// Takes a page of the changes of a zone.
    mutating func receive(_ page: SyncTransport.ZoneChanges, of zone: CKRecordZone.ID) -> [HandOver] {
        let transition = SyncTransition.fetchedZone(zone, token: page.token, isLast: !page.moreComing)
        var handOver = HandOver(after: [transition])
        if !page.modified.isEmpty || !page.deleted.isEmpty {
            handOver.event = .fetchedRecordZoneChanges(
                .init(modifications: page.modified.map { .init(record: $0) }, deletions: page.deleted))
        }
        guard !page.moreComing else { return [handOver] }
        openZones.removeAll { $0 == zone }
        return [handOver, close(zone, nil)]
    }

    /// Takes the error of a request for changes of a zone.
    mutating func receive(_ error: CKError, of zone: CKRecordZone.ID) -> [HandOver] {
        if error.code == .changeTokenExpired, expiredZones.insert(zone).inserted {
            return [HandOver(after: [.zoneTokenExpired(zone)])]
        }
        guard !error.isHandledBySyncEngine || error.code == .zoneBusy else {
            failure = error
            return []
        }
        // The other zones can be fetched nevertheless.
        skippedZones.insert(zone)
        openZones.removeAll { $0 == zone }
        // The deletion itself is among the changes of the database.
        if error.saysThatZoneIsGone { return [HandOver(after: [.lostZone(zone)]), close(zone, error)] }
        zoneErrors[zone] = error
        return [close(zone, error)]
    }

    private func close(_ zone: CKRecordZone.ID, _ error: CKError?) -> HandOver {
        HandOver(event: .didFetchRecordZoneChanges(.init(zoneID: zone, error: error)))
    }
}
