/// The values of a ``CKNotificationInfo``, named as in the web interface.
struct NotificationSettings: Hashable, Sendable, Codable {
    var alertBody: String?
    var alertLocalizationKey: String?
    var title: String?
    var titleLocalizationKey: String?
    var subtitle: String?
    var subtitleLocalizationKey: String?
    var alertActionLocalizationKey: String?
    var alertLaunchImage: String?
    var soundName: String?
    var category: String?
    var collapseIDKey: String?
    var alertLocalizationArgs: [String]?
    var titleLocalizationArgs: [String]?
    var subtitleLocalizationArgs: [String]?
    var desiredKeys: [String]?
    var shouldBadge = false
    var shouldSendContentAvailable = false
    var shouldSendMutableContent = false
}
