public import Foundation

/// A subscription to the records of a type that match a predicate.
open class CKQuerySubscription: CKSubscription, @unchecked Sendable {
    /// The changes that fire a subscription.
    public struct Options: OptionSet, Sendable {
        /// The bits of the options.
        public let rawValue: UInt

        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// A record that matches is created.
        public static let firesOnRecordCreation = Options(rawValue: 1)
        /// A record changes, and matches afterwards.
        public static let firesOnRecordUpdate = Options(rawValue: 2)
        /// A record that matched is deleted.
        public static let firesOnRecordDeletion = Options(rawValue: 4)
        /// The server removes the subscription when it has fired once.
        public static let firesOnce = Options(rawValue: 8)
    }

    private let type: CKRecord.RecordType
    /// The condition that records must meet.
    public let predicate: NSPredicate
    /// The changes that fire the subscription.
    public let querySubscriptionOptions: CKQuerySubscription.Options
    private let zone = Locked<CKRecordZone.ID?>(nil)

    /// Creates a subscription with a random name.
    @available(macOS, introduced: 10.12, deprecated: 10.12, message: "Provide an explicit CKSubscription.ID")
    public convenience init(
        recordType: CKRecord.RecordType, predicate: NSPredicate,
        options querySubscriptionOptions: CKQuerySubscription.Options = [
            .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
        ]
    ) {
        self.init(
            recordType: recordType, predicate: predicate, subscriptionID: UUID().uuidString,
            options: querySubscriptionOptions)
    }

    /// Creates a subscription. Its options must contain at least one change; otherwise, it cannot be saved.
    public init(
        recordType: CKRecord.RecordType, predicate: NSPredicate, subscriptionID: CKSubscription.ID,
        options querySubscriptionOptions: CKQuerySubscription.Options = [
            .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
        ]
    ) {
        type = recordType
        self.predicate = predicate
        self.querySubscriptionOptions = querySubscriptionOptions
        super.init(subscriptionID: subscriptionID)
    }

    /// Creates a subscription from an archive.
    public required init(coder aDecoder: NSCoder) {
        type = aDecoder.decodeObject(of: NSString.self, forKey: ArchiveKey.recordType) as String? ?? ""
        predicate = NSPredicate.decoded(from: aDecoder, forKey: ArchiveKey.predicate)
        let bits = aDecoder.decodeInteger(forKey: ArchiveKey.options)
        querySubscriptionOptions = Options(rawValue: UInt(bitPattern: bits))
        super.init(coder: aDecoder)
        zone.withLock { $0 = aDecoder.optionalObject(of: CKRecordZoneID.self, forKey: ArchiveKey.zoneID) }
    }

    private enum ArchiveKey {
        static let recordType = "RecordType"
        static let predicate = "Predicate"
        static let options = "SubscriptionOptions"
        static let zoneID = "ZoneID"
    }

    /// Encodes the subscription. The predicate is encoded as a format.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(type as NSString, forKey: ArchiveKey.recordType)
        predicate.encode(in: coder, forKey: ArchiveKey.predicate)
        coder.encode(Int(bitPattern: querySubscriptionOptions.rawValue), forKey: ArchiveKey.options)
        if let zoneID { coder.encode(zoneID, forKey: ArchiveKey.zoneID) }
    }

    /// The kind of subscription.
    open override var subscriptionType: CKSubscription.SubscriptionType { .query }

    /// The type of the records.
    open var recordType: CKRecord.RecordType? { type }

    /// The zone of the records; nil for all zones.
    open var zoneID: CKRecordZone.ID? {
        get { zone.copy }
        set { zone.withLock { $0 = newValue } }
    }

    /// Returns a copy.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKQuerySubscription(
            recordType: type, predicate: predicate, subscriptionID: subscriptionID, options: querySubscriptionOptions)
        copy.notificationInfo = notificationInfo
        copy.zoneID = zoneID
        return copy
    }
}
