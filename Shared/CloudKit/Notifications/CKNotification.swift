public import Foundation

/// A notification that a subscription has fired. A notification may be lost or arrive twice, and says only that
/// something has changed: fetch the changes.
open class CKNotification: NSObject {
    /// The identifier of a notification.
    public typealias ID = CKNotificationID

    /// The kinds of notification.
    public enum NotificationType: Int, Sendable {
        /// A record matched the predicate of a query subscription.
        case query = 1
        /// Records of a zone changed.
        case recordZone = 2
        /// A notification was read on another device. No server sends it.
        case readNotification = 3
        /// Records of a database changed.
        case database = 4
    }

    let payload: NotificationPayload

    /// Creates the notification that a payload describes.
    init(_ payload: NotificationPayload) { self.payload = payload }

    /// The kind of notification.
    open var notificationType: CKNotification.NotificationType { payload.type }

    /// The identifier of the change that caused the notification. All notifications of one change have it.
    open var notificationID: CKNotification.ID? { payload.notificationID.map(CKNotificationID.init) }

    /// The container.
    open var containerIdentifier: String? { payload.containerIdentifier }

    /// The user who saved the subscription.
    open var subscriptionOwnerUserRecordID: CKRecord.ID? {
        payload.ownerRecordName.map { CKRecord.ID(recordName: $0) }
    }

    /// Whether values were dropped so that the payload is short enough.
    open var isPruned: Bool { payload.isPruned }

    /// The subscription that fired.
    open var subscriptionID: CKSubscription.ID? { payload.subscriptionID }

    /// The text of the alert.
    @available(macOS, introduced: 10.10, deprecated: 13.0, message: "Interact with UI elements of the push")
    open var alertBody: String? { payload.alertText("body") }

    /// The key of the alert's text in the app's localized strings.
    @available(macOS, introduced: 10.10, deprecated: 13.0, message: "Interact with UI elements of the push")
    open var alertLocalizationKey: String? { payload.alertText("loc-key") }

    /// The values that are inserted in the alert's text.
    @available(macOS, introduced: 10.10, deprecated: 13.0, message: "Interact with UI elements of the push")
    open var alertLocalizationArgs: [String]? { payload.alertList("loc-args") }

    /// The title of the alert.
    @available(macOS, introduced: 10.10, deprecated: 13.0, message: "Interact with UI elements of the push")
    open var title: String? { payload.alertText("title") }

    /// The key of the title in the app's localized strings.
    @available(macOS, introduced: 10.10, deprecated: 13.0, message: "Interact with UI elements of the push")
    open var titleLocalizationKey: String? { payload.alertText("title-loc-key") }

    /// The values that are inserted in the title.
    @available(macOS, introduced: 10.10, deprecated: 13.0, message: "Interact with UI elements of the push")
    open var titleLocalizationArgs: [String]? { payload.alertList("title-loc-args") }

    /// The subtitle of the alert.
    @available(macOS, introduced: 10.10, deprecated: 13.0, message: "Interact with UI elements of the push")
    open var subtitle: String? { payload.alertText("subtitle") }

    /// The key of the subtitle in the app's localized strings.
    @available(macOS, introduced: 10.10, deprecated: 13.0, message: "Interact with UI elements of the push")
    open var subtitleLocalizationKey: String? { payload.alertText("subtitle-loc-key") }

    /// The values that are inserted in the subtitle.
    @available(macOS, introduced: 10.10, deprecated: 13.0, message: "Interact with UI elements of the push")
    open var subtitleLocalizationArgs: [String]? { payload.alertList("subtitle-loc-args") }

    /// The key of the alert's button in the app's localized strings.
    @available(macOS, introduced: 10.10, deprecated: 13.0, message: "Interact with UI elements of the push")
    open var alertActionLocalizationKey: String? { payload.alertText("action-loc-key") }

    /// The image that is shown while the app starts.
    @available(macOS, introduced: 10.10, deprecated: 13.0, message: "Interact with UI elements of the push")
    open var alertLaunchImage: String? { payload.alertText("launch-image") }

    /// The number on the app's icon.
    @available(macOS, introduced: 10.10, deprecated: 13.0, message: "Interact with UI elements of the push")
    open var badge: NSNumber? { payload.badge }

    /// The name of the sound.
    @available(macOS, introduced: 10.10, deprecated: 13.0, message: "Interact with UI elements of the push")
    open var soundName: String? { payload.soundName }

    /// The group of the actions that the alert offers.
    @available(macOS, introduced: 10.10, deprecated: 13.0, message: "Interact with UI elements of the push")
    open var category: String? { payload.category }

    /// The kind, the container and the subscription.
    open override var description: String {
        "<\(type(of: self)): containerIdentifier=\(containerIdentifier ?? "nil"), subscriptionID=\(subscriptionID ?? "nil")>"
    }
}
