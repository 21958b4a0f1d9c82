internal import CloudKitWire
public import Foundation

/// An operation that fetches a page of the changes of one zone. ``CKFetchRecordZoneChangesOperation`` replaced it.
@available(macOS, introduced: 10.10, deprecated: 10.12, message: "Use CKFetchRecordZoneChangesOperation instead")
open class CKFetchRecordChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The zone.
    open var recordZoneID: CKRecordZone.ID?
    /// The token of the last fetch; nil to fetch all records.
    open var previousServerChangeToken: CKServerChangeToken?
    /// The largest number of changes; 0 to let the server decide.
    open var resultsLimit = 0
    /// The fields to fetch; nil for all, empty for none.
    open var desiredKeys: [CKRecord.FieldKey]?
    /// Whether there are more changes after the token that the operation has returned.
    open var moreComing: Bool { page.copy?.moreComing ?? false }

    /// Called with each record that changed.
    open var recordChangedBlock: ((CKRecord) -> Void)?
    /// Called with each record that was deleted.
    open var recordWithIDWasDeletedBlock: ((CKRecord.ID) -> Void)?
    /// Called at the end with the token.
    open var fetchRecordChangesCompletionBlock: ((CKServerChangeToken?, Data?, (any Error)?) -> Void)?

    private let page = Locked<ZonePage?>(nil)

    /// Creates an operation without a zone.
    public override init() { super.init() }

    /// Creates an operation.
    public convenience init(recordZoneID: CKRecordZone.ID, previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.recordZoneID = recordZoneID
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func perform() async throws(CKError) {
        guard let zoneID = recordZoneID else { throw CKError(.invalidArguments, "The operation has no recordZoneID.") }
        let database = try webDatabase()
        let position = ZonePosition(
            zoneID: zoneID, token: previousServerChangeToken, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        guard let result = try await database.zoneChanges([position]).first else {
            throw .unexpectedAnswer("a page of changes is missing")
        }
        let page = try result.get()
        var records = try await database.records(from: page.records.filter { $0["deleted"]?.bool != true })[...]
        for item in page.records {
            if item["deleted"]?.bool == true {
                let id = CKRecord.ID(recordName: item["recordName"]?.string ?? "", zoneID: zoneID)
                callbacks.post { self.recordWithIDWasDeletedBlock?(id) }
            } else if let (_, result) = records.popFirst() {
                let record = try result.get()
                callbacks.post { self.recordChangedBlock?(record) }
            }
        }
        self.page.withLock { $0 = page }
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        fetchRecordChangesCompletionBlock?(page.copy?.token, nil, error)
        recordChangedBlock = nil
        recordWithIDWasDeletedBlock = nil
        fetchRecordChangesCompletionBlock = nil
    }
}
