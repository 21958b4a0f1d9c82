public import Foundation

/// What to fetch of the changes of a zone: `CKFetchRecordZoneChangesOperation.ZoneConfiguration`.
open class CKFetchRecordZoneChangesConfiguration: NSObject, NSCopying, @unchecked Sendable {
    private struct Values {
        var token: CKServerChangeToken?
        var resultsLimit = 0
        var desiredKeys: [CKRecord.FieldKey]?
    }

    private let values = Locked(Values())

    /// Creates a configuration that fetches all records with all fields.
    public override init() { super.init() }

    /// Creates a configuration.
    public convenience init(
        previousServerChangeToken: CKServerChangeToken? = nil, resultsLimit: Int? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil
    ) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
        self.resultsLimit = resultsLimit ?? 0
        self.desiredKeys = desiredKeys
    }

    /// The token of the last fetch of the zone; nil to fetch all records.
    open var previousServerChangeToken: CKServerChangeToken? {
        get { values.copy.token }
        set { values.withLock { $0.token = newValue } }
    }

    /// The largest number of changes in a page; 0 to let the server decide.
    open var resultsLimit: Int {
        get { values.copy.resultsLimit }
        set { values.withLock { $0.resultsLimit = newValue } }
    }

    /// The fields to fetch; nil for all, empty for none.
    open var desiredKeys: [CKRecord.FieldKey]? {
        get { values.copy.desiredKeys }
        set { values.withLock { $0.desiredKeys = newValue } }
    }

    /// Returns a copy.
    open func copy(with zone: NSZone? = nil) -> Any {
        let values = values.copy
        return CKFetchRecordZoneChangesConfiguration(
            previousServerChangeToken: values.token, resultsLimit: values.resultsLimit,
            desiredKeys: values.desiredKeys)
    }

    /// Returns the position from which to fetch changes of a zone.
    func position(in zoneID: CKRecordZone.ID) -> ZonePosition {
        let values = values.copy
        return ZonePosition(
            zoneID: zoneID, token: values.token, desiredKeys: values.desiredKeys, resultsLimit: values.resultsLimit)
    }
}
