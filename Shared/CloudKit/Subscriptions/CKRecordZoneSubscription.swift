public import Foundation

/// A subscription to the records of a custom zone.
open class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
    /// The zone.
    public let zoneID: CKRecordZone.ID
    private let type = Locked<CKRecord.RecordType?>(nil)

    /// Creates a subscription with a random name.
    @available(macOS, introduced: 10.12, deprecated: 10.12, message: "Provide an explicit CKSubscription.ID")
    public convenience init(zoneID: CKRecordZone.ID) {
        self.init(zoneID: zoneID, subscriptionID: UUID().uuidString)
    }

    /// Creates a subscription.
    public init(zoneID: CKRecordZone.ID, subscriptionID: CKSubscription.ID) {
        self.zoneID = zoneID
        super.init(subscriptionID: subscriptionID)
    }

    /// Creates a subscription from an archive.
    public required init(coder aDecoder: NSCoder) {
        zoneID = aDecoder.decodeObject(of: CKRecordZoneID.self, forKey: ArchiveKey.zoneID) ?? CKRecordZone.ID.default
        super.init(coder: aDecoder)
        type.withLock { $0 = aDecoder.optionalObject(of: NSString.self, forKey: ArchiveKey.recordType) as String? }
    }

    private enum ArchiveKey {
        static let zoneID = "ZoneID"
        static let recordType = "RecordType"
    }

    /// Encodes the subscription.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(zoneID, forKey: ArchiveKey.zoneID)
        if let recordType { coder.encode(recordType as NSString, forKey: ArchiveKey.recordType) }
    }

    /// The kind of subscription.
    open override var subscriptionType: CKSubscription.SubscriptionType { .recordZone }

    /// The type of the records; nil for all types.
    open var recordType: CKRecord.RecordType? {
        get { type.copy }
        set { type.withLock { $0 = newValue } }
    }

    /// Returns a copy.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: subscriptionID)
        copy.notificationInfo = notificationInfo
        copy.recordType = recordType
        return copy
    }
}
