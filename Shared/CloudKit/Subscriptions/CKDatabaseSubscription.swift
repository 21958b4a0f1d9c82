public import Foundation

/// A subscription to the records of all custom zones of a database.
open class CKDatabaseSubscription: CKSubscription, @unchecked Sendable {
    private let type = Locked<CKRecord.RecordType?>(nil)

    /// Creates a subscription with a random name.
    @available(macOS, introduced: 10.12, deprecated: 10.12, message: "Provide an explicit CKSubscription.ID")
    public convenience init() { self.init(subscriptionID: UUID().uuidString) }

    /// Creates a subscription.
    public override init(subscriptionID: CKSubscription.ID) { super.init(subscriptionID: subscriptionID) }

    /// Creates a subscription from an archive.
    public required init(coder aDecoder: NSCoder) {
        super.init(coder: aDecoder)
        type.withLock { $0 = aDecoder.optionalObject(of: NSString.self, forKey: Self.recordTypeKey) as String? }
    }

    private static let recordTypeKey = "RecordType"

    /// Encodes the subscription.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        if let recordType { coder.encode(recordType as NSString, forKey: Self.recordTypeKey) }
    }

    /// The kind of subscription.
    open override var subscriptionType: CKSubscription.SubscriptionType { .database }

    /// The type of the records; nil for all types.
    open var recordType: CKRecord.RecordType? {
        get { type.copy }
        set { type.withLock { $0 = newValue } }
    }

    /// Returns a copy.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKDatabaseSubscription(subscriptionID: subscriptionID)
        copy.notificationInfo = notificationInfo
        copy.recordType = recordType
        return copy
    }
}
