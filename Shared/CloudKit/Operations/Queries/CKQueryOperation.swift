internal import CloudKitModel
internal import CloudKitWire

/// An operation that fetches a page of the records that a query finds.
open class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The place at which a query continues.
    public typealias Cursor = CKQueryCursor

    /// The value of ``resultsLimit`` with which the server decides.
    public class var maximumResults: Int { 0 }

    /// The query; nil if ``cursor`` continues one.
    open var query: CKQuery?
    /// The place at which the query continues; nil for its first page.
    open var cursor: CKQueryOperation.Cursor?
    /// The zone to search; nil for all zones, or for the default zone in the public database.
    open var zoneID: CKRecordZone.ID?
    /// The maximum number of records. The server may return fewer; more follow only if there is a cursor.
    open var resultsLimit = 0
    /// The fields to fetch; nil for all, empty for none.
    open var desiredKeys: [CKRecord.FieldKey]?

    /// Called with each record, in the order of the query.
    open var recordMatchedBlock: ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
    /// Called at the end with the place at which the query continues; nil if there are no more records.
    open var queryResultBlock: ((_ operationResult: Result<CKQueryOperation.Cursor?, any Error>) -> Void)?
    /// Called with each record, in the order of the query.
    @available(macOS, introduced: 10.10, deprecated: 12.0, message: "Use recordMatchedBlock instead")
    open var recordFetchedBlock: ((CKRecord) -> Void)?
    /// Called at the end with the place at which the query continues; nil if there are no more records.
    @available(macOS, introduced: 10.10, deprecated: 12.0, message: "Use queryResultBlock instead")
    open var queryCompletionBlock: ((CKQueryOperation.Cursor?, (any Error)?) -> Void)?

    private let next = Locked<CKQueryCursor?>(nil)

    /// Creates an operation without a query.
    public override init() { super.init() }

    /// Creates an operation for the first page of a query.
    public convenience init(query: CKQuery) {
        self.init()
        self.query = query
    }

    /// Creates an operation for a further page of a query.
    public convenience init(cursor: CKQueryOperation.Cursor) {
        self.init()
        self.cursor = cursor
    }

    override func perform() async throws(CKError) {
        guard let query = cursor?.query ?? query else {
            throw CKError(.invalidArguments, "The operation has neither a query nor a cursor.")
        }
        let database = try webDatabase()
        let zoneID = cursor == nil ? zoneID : cursor?.zoneID
        var request = QueryRecordsRequest(
            query: try QueryCoding.wire(of: query), scope: try scope(of: zoneID, in: database))
        request.resultsLimit = resultsLimit > 0 ? resultsLimit : nil
        request.continuationMarker = cursor?.marker
        request.desiredKeys = desiredKeys
        let page = try await database.query(request)
        for (id, result) in try await database.records(from: page.records) {
            callbacks.post { [self] in
                recordMatchedBlock?(id, result.erased)
                if case .success(let record) = result { recordFetchedBlock?(record) }
            }
        }
        let cursor = page.marker.map { CKQueryCursor(query: query, zoneID: zoneID, marker: $0) }
        next.withLock { $0 = cursor }
    }

    private func scope(of zoneID: CKRecordZone.ID?, in database: WebDatabase) throws(CKError) -> QueryScope {
        if let zoneID {
            let isOwn = zoneID.ownerName == CKCurrentUserDefaultName
            return QueryScope(
                zoneID: ZoneID(
                    zoneName: ZoneName(unchecked: zoneID.zoneName),
                    ownerRecordName: isOwn ? nil : UserName(unchecked: zoneID.ownerName)))
        }
        guard database.scope != .shared else {
            throw CKError(.invalidArguments, "A query of the shared database needs a zone. Set zoneID.")
        }
        return QueryScope(zoneWide: database.scope == .private)
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        let cursor = next.copy
        queryCompletionBlock?(cursor, error)
        queryResultBlock?(error.map { .failure($0) } ?? .success(cursor))
        recordMatchedBlock = nil
        queryResultBlock = nil
        recordFetchedBlock = nil
        queryCompletionBlock = nil
    }
}
