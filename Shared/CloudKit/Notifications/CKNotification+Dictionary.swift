/// The notifications that dictionaries describe. `CKNotification(fromRemoteNotificationDictionary:)` returns a query, zone
/// or database notification, and only an initializer in a protocol's extension can return an instance of a subclass.
public protocol CKNotificationParsing {}

extension CKNotification: CKNotificationParsing {}

extension CKNotificationParsing where Self: CKNotification {
    /// Creates the notification that a dictionary describes: the `userInfo` of a push notification, or the JSON of an
    /// event of Zonda's web courier. Returns nil if the dictionary is not from CloudKit, or if it describes a
    /// notification of another class.
    public init?(fromRemoteNotificationDictionary notificationDictionary: [AnyHashable: Any]) {
        guard let payload = NotificationPayload(notificationDictionary),
            let notification = CKNotification.make(payload) as? Self
        else { return nil }
        self = notification
    }
}

extension CKNotification {
    fileprivate static func make(_ payload: NotificationPayload) -> CKNotification {
        switch payload.type {
        case .query: CKQueryNotification(payload)
        case .recordZone: CKRecordZoneNotification(payload)
        case .database: CKDatabaseNotification(payload)
        case .readNotification: CKNotification(payload)
        }
    }
}
