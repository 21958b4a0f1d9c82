internal import CloudKitWire
public import Foundation

/// An operation that fetches the changes of the records of zones.
open class CKFetchRecordZoneChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// What to fetch of the changes of a zone.
    public typealias ZoneConfiguration = CKFetchRecordZoneChangesConfiguration
    /// The former name of ``ZoneConfiguration``.
    @available(
        macOS, introduced: 10.12, deprecated: 10.14,
        message: "Use CKFetchRecordZoneChangesOperation.ZoneConfiguration instead"
    )
    public typealias ZoneOptions = CKFetchRecordZoneChangesConfiguration

    /// The zones.
    open var recordZoneIDs: [CKRecordZone.ID]?
    /// What to fetch of each zone. A zone that is missing is fetched completely.
    open var configurationsByRecordZoneID: [CKRecordZone.ID: CKFetchRecordZoneChangesOperation.ZoneConfiguration]?
    /// Whether all pages are fetched, or only one of each zone.
    open var fetchAllChanges = true

    /// Called with each record that changed.
    open var recordWasChangedBlock: ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
    /// Called with each record that was deleted.
    open var recordWithIDWasDeletedBlock: ((_ recordID: CKRecord.ID, _ recordType: CKRecord.RecordType) -> Void)?
    /// Called with a zone's token after each of its pages but the last.
    open var recordZoneChangeTokensUpdatedBlock: ((CKRecordZone.ID, CKServerChangeToken?, Data?) -> Void)?
    /// Called at the end of each zone.
    open var recordZoneFetchResultBlock:
        (
            (
                _ recordZoneID: CKRecordZone.ID,
                _ fetchChangesResult: Result<
                    (serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?, moreComing: Bool), any Error
                >
            ) -> Void
        )?
    /// Called at the end. Errors of single zones are not errors of the operation.
    open var fetchRecordZoneChangesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called with each record that changed.
    @available(macOS, introduced: 10.12, deprecated: 12.0, message: "Use recordWasChangedBlock instead")
    open var recordChangedBlock: ((CKRecord) -> Void)?
    /// Called at the end of each zone.
    @available(macOS, introduced: 10.12, deprecated: 12.0, message: "Use recordZoneFetchResultBlock instead")
    open var recordZoneFetchCompletionBlock:
        ((CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)?
    /// Called at the end.
    @available(macOS, introduced: 10.12, deprecated: 12.0, message: "Use fetchRecordZoneChangesResultBlock instead")
    open var fetchRecordZoneChangesCompletionBlock: (((any Error)?) -> Void)?

    private let errors = Locked(PartialErrors())

    /// Creates an operation without zones.
    public override init() { super.init() }

    /// Creates an operation.
    public convenience init(
        recordZoneIDs: [CKRecordZone.ID]? = nil,
        configurationsByRecordZoneID: [CKRecordZone.ID: CKFetchRecordZoneChangesOperation.ZoneConfiguration]? = nil
    ) {
        self.init()
        self.recordZoneIDs = recordZoneIDs
        self.configurationsByRecordZoneID = configurationsByRecordZoneID
    }

    /// Creates an operation.
    @available(
        macOS, introduced: 10.12, deprecated: 10.14,
        message: "Use init(recordZoneIDs:configurationsByRecordZoneID:) instead"
    )
    public convenience init(
        recordZoneIDs: [CKRecordZone.ID],
        optionsByRecordZoneID: [CKRecordZone.ID: CKFetchRecordZoneChangesConfiguration]?
    ) {
        self.init(recordZoneIDs: recordZoneIDs, configurationsByRecordZoneID: optionsByRecordZoneID)
    }

    /// The former name of ``configurationsByRecordZoneID``.
    @available(macOS, introduced: 10.12, deprecated: 10.14, message: "Use configurationsByRecordZoneID instead")
    open var optionsByRecordZoneID: [CKRecordZone.ID: CKFetchRecordZoneChangesConfiguration]? {
        get { configurationsByRecordZoneID }
        set { configurationsByRecordZoneID = newValue }
    }

    /// How many zones are asked for with one request. Each may answer a page.
    private static let zonesInRequest = 10
    /// How many changes are asked for at once when one zone alone is fetched.
    private static let pageSize = 1_000

    override func perform() async throws(CKError) {
        let database = try webDatabase()
        let positions = (recordZoneIDs ?? []).unique.map { id in
            configurationsByRecordZoneID?[id]?.position(in: id) ?? ZonePosition(zoneID: id)
        }
        for part in positions.chunks(of: Self.zonesInRequest) {
            try checkCancellation()
            for (position, result) in zip(part, try await database.zoneChanges(part.map(sized(part.count)))) {
                try await fetch(position, beginningWith: result, database)
            }
        }
    }

    /// Returns a function that asks for large pages if one zone alone is fetched.
    private func sized(_ count: Int) -> (ZonePosition) -> ZonePosition {
        { position in
            guard count == 1, position.resultsLimit == 0, self.fetchAllChanges else { return position }
            var sized = position
            sized.resultsLimit = Self.pageSize
            return sized
        }
    }

    /// Reports the pages of a zone up to its last. The next page is fetched while one is reported.
    private func fetch(
        _ start: ZonePosition, beginningWith first: ItemResult<ZonePage>, _ database: WebDatabase
    ) async throws(CKError) {
        var position = start
        var result = first
        // The token of the last page that was reported. It is valid even if the next one fails.
        var reached: CKServerChangeToken?
        do throws(CKError) {
            while true {
                let page: ZonePage
                switch result {
                case .failure(let error): return end(start.zoneID, .failure(error), reached)
                case .success(let value): page = value
                }
                guard page.moreComing, fetchAllChanges else {
                    try await report(page.records, in: start.zoneID, database)
                    end(start.zoneID, .success(page), page.token)
                    return await callbacks.drain()
                }
                guard page.token != position.token else {
                    throw .unexpectedAnswer("the feed of the zone does not advance")
                }
                position.token = page.token
                async let following = Self.page(sized(1)(position), of: database)
                try await report(page.records, in: start.zoneID, database)
                callbacks.post { self.recordZoneChangeTokensUpdatedBlock?(start.zoneID, page.token, nil) }
                await callbacks.drain()
                reached = page.token
                try checkCancellation()
                result = try await following.get()
            }
        } catch {
            end(start.zoneID, .failure(error), reached)
            throw error
        }
    }

    private static func page(
        _ position: ZonePosition, of database: WebDatabase
    ) async -> Result<ItemResult<ZonePage>, CKError> {
        do throws(CKError) {
            guard let result = try await database.zoneChanges([position]).first else {
                return .failure(.unexpectedAnswer("a page of changes is missing"))
            }
            return .success(result)
        } catch {
            return .failure(error)
        }
    }

    /// Reports the records of a page in the order of the feed.
    private func report(
        _ items: [JSONValue], in zoneID: CKRecordZone.ID, _ database: WebDatabase
    ) async throws(CKError) {
        var records = try await database.records(from: items.filter { $0["deleted"]?.bool != true })[...]
        for item in items {
            guard item["deleted"]?.bool == true else {
                guard let (id, result) = records.popFirst() else { continue }
                callbacks.post { [self] in
                    recordWasChangedBlock?(id, result.erased)
                    if case .success(let record) = result { recordChangedBlock?(record) }
                }
                continue
            }
            guard let name = item["recordName"]?.string else { throw .unexpectedAnswer("a deleted record has no name") }
            let id = CKRecord.ID(recordName: name, zoneID: zoneID)
            let type = item["deletedRecordType"]?.string ?? ""
            callbacks.post { self.recordWithIDWasDeletedBlock?(id, type) }
        }
    }

    /// Reports the end of a zone.
    private func end(_ zoneID: CKRecordZone.ID, _ result: ItemResult<ZonePage>, _ reached: CKServerChangeToken?) {
        if let error = result.error { errors.withLock { $0.add(error, of: zoneID) } }
        callbacks.post { [self] in
            let page = try? result.get()
            recordZoneFetchResultBlock?(
                zoneID,
                result.map { (serverChangeToken: $0.token, clientChangeTokenData: nil, moreComing: $0.moreComing) }
                    .erased)
            recordZoneFetchCompletionBlock?(zoneID, reached, nil, page?.moreComing ?? false, result.error)
        }
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        fetchRecordZoneChangesCompletionBlock?(
            error ?? errors.copy.failure("Failed to fetch changes of some record zones"))
        fetchRecordZoneChangesResultBlock?(Result(failure: error))
        recordWasChangedBlock = nil
        recordWithIDWasDeletedBlock = nil
        recordZoneChangeTokensUpdatedBlock = nil
        recordZoneFetchResultBlock = nil
        fetchRecordZoneChangesResultBlock = nil
        recordChangedBlock = nil
        recordZoneFetchCompletionBlock = nil
        fetchRecordZoneChangesCompletionBlock = nil
    }
}
