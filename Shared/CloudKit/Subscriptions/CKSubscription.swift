public import Foundation

/// A wish to be notified of changes in a database. Its subclasses say of which.
open class CKSubscription: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The name of a subscription.
    public typealias ID = String

    /// How notifications are shown.
    public typealias NotificationInfo = CKNotificationInfo

    /// The kinds of subscription.
    public enum SubscriptionType: Int, Sendable {
        /// Records that match a predicate.
        case query = 1
        /// All records of a zone.
        case recordZone = 2
        /// All records of a database.
        case database = 3
    }

    /// The name of the subscription, unique for its user in the database.
    public let subscriptionID: CKSubscription.ID
    private let info = Locked<CKNotificationInfo?>(nil)

    init(subscriptionID: CKSubscription.ID) { self.subscriptionID = subscriptionID }

    /// Creates a subscription from an archive.
    public required init(coder aDecoder: NSCoder) {
        subscriptionID = aDecoder.decodeObject(of: NSString.self, forKey: ArchiveKey.subscriptionID) as String? ?? ""
        super.init()
        info.withLock { $0 = aDecoder.optionalObject(of: CKNotificationInfo.self, forKey: ArchiveKey.notificationInfo) }
    }

    private enum ArchiveKey {
        static let subscriptionID = "SubscriptionID"
        static let notificationInfo = "NotificationInfo"
    }

    /// Whether the class supports secure coding.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the subscription.
    open func encode(with coder: NSCoder) {
        coder.encode(subscriptionID as NSString, forKey: ArchiveKey.subscriptionID)
        if let notificationInfo { coder.encode(notificationInfo, forKey: ArchiveKey.notificationInfo) }
    }

    /// The kind of subscription.
    open var subscriptionType: CKSubscription.SubscriptionType { .database }

    /// How notifications are shown. A subscription can be saved only with an object, which may be empty.
    open var notificationInfo: CKSubscription.NotificationInfo? {
        get { info.copy }
        set { info.withLock { $0 = newValue?.copied() } }
    }

    /// Returns a copy.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKSubscription(subscriptionID: subscriptionID)
        copy.notificationInfo = notificationInfo
        return copy
    }

    /// The class and the name.
    open override var description: String { "<\(type(of: self)): subscriptionID=\(subscriptionID)>" }
}
