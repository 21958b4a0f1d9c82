public import Foundation

/// How the notifications of a subscription are shown: `CKSubscription.NotificationInfo`.
open class CKNotificationInfo: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let values = Locked(NotificationSettings())

    /// Creates an object without texts and with all flags false.
    public override init() { super.init() }

    /// Creates an object.
    public convenience init(
        alertBody: String? = nil, alertLocalizationKey: String? = nil, alertLocalizationArgs: [CKRecord.FieldKey] = [],
        title: String? = nil, titleLocalizationKey: String? = nil, titleLocalizationArgs: [CKRecord.FieldKey] = [],
        subtitle: String? = nil, subtitleLocalizationKey: String? = nil,
        subtitleLocalizationArgs: [CKRecord.FieldKey] = [], alertActionLocalizationKey: String? = nil,
        alertLaunchImage: String? = nil, soundName: String? = nil, desiredKeys: [CKRecord.FieldKey] = [],
        shouldBadge: Bool = false, shouldSendContentAvailable: Bool = false, shouldSendMutableContent: Bool = false,
        category: String? = nil, collapseIDKey: String? = nil
    ) {
        self.init()
        self.alertBody = alertBody
        self.alertLocalizationKey = alertLocalizationKey
        self.title = title
        self.titleLocalizationKey = titleLocalizationKey
        self.subtitle = subtitle
        self.subtitleLocalizationKey = subtitleLocalizationKey
        self.alertActionLocalizationKey = alertActionLocalizationKey
        self.alertLaunchImage = alertLaunchImage
        self.soundName = soundName
        self.category = category
        self.collapseIDKey = collapseIDKey
        self.alertLocalizationArgs = alertLocalizationArgs
        self.titleLocalizationArgs = titleLocalizationArgs
        self.subtitleLocalizationArgs = subtitleLocalizationArgs
        self.desiredKeys = desiredKeys
        self.shouldBadge = shouldBadge
        self.shouldSendContentAvailable = shouldSendContentAvailable
        self.shouldSendMutableContent = shouldSendMutableContent
    }

    /// Creates an object from an archive.
    public required init?(coder: NSCoder) {
        super.init()
        guard let data = coder.decodeObject(of: NSData.self, forKey: Self.settingsKey) as Data?,
            let settings = try? JSONDecoder().decode(NotificationSettings.self, from: data)
        else { return }
        values.withLock { $0 = settings }
    }

    private static let settingsKey = "Settings"

    /// Whether the class supports secure coding.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the object.
    open func encode(with coder: NSCoder) {
        guard let data = try? JSONEncoder().encode(values.copy) else { return }
        coder.encode(data as NSData, forKey: Self.settingsKey)
    }

    /// Returns a copy.
    open func copy(with zone: NSZone? = nil) -> Any { copied() }

    /// Returns a copy.
    func copied() -> CKNotificationInfo {
        let copy = CKNotificationInfo()
        copy.values.withLock { $0 = values.copy }
        return copy
    }

    /// All settings at once.
    var settings: NotificationSettings {
        get { values.copy }
        set { values.withLock { $0 = newValue } }
    }

    /// The text of the alert.
    open var alertBody: String? {
        get { values.copy.alertBody }
        set { values.withLock { $0.alertBody = newValue } }
    }

    /// The key of the alert's text in the app's localized strings. It takes precedence over ``alertBody``.
    open var alertLocalizationKey: String? {
        get { values.copy.alertLocalizationKey }
        set { values.withLock { $0.alertLocalizationKey = newValue } }
    }

    /// The title of the alert.
    open var title: String? {
        get { values.copy.title }
        set { values.withLock { $0.title = newValue } }
    }

    /// The key of the title in the app's localized strings.
    open var titleLocalizationKey: String? {
        get { values.copy.titleLocalizationKey }
        set { values.withLock { $0.titleLocalizationKey = newValue } }
    }

    /// The subtitle of the alert.
    open var subtitle: String? {
        get { values.copy.subtitle }
        set { values.withLock { $0.subtitle = newValue } }
    }

    /// The key of the subtitle in the app's localized strings.
    open var subtitleLocalizationKey: String? {
        get { values.copy.subtitleLocalizationKey }
        set { values.withLock { $0.subtitleLocalizationKey = newValue } }
    }

    /// The key of the alert's button in the app's localized strings.
    open var alertActionLocalizationKey: String? {
        get { values.copy.alertActionLocalizationKey }
        set { values.withLock { $0.alertActionLocalizationKey = newValue } }
    }

    /// The image that is shown while the app starts.
    open var alertLaunchImage: String? {
        get { values.copy.alertLaunchImage }
        set { values.withLock { $0.alertLaunchImage = newValue } }
    }

    /// The name of the sound.
    open var soundName: String? {
        get { values.copy.soundName }
        set { values.withLock { $0.soundName = newValue } }
    }

    /// The group of the actions that the alert offers.
    open var category: String? {
        get { values.copy.category }
        set { values.withLock { $0.category = newValue } }
    }

    /// The field whose value lets a later notification replace this one.
    open var collapseIDKey: String? {
        get { values.copy.collapseIDKey }
        set { values.withLock { $0.collapseIDKey = newValue } }
    }

    /// The fields whose values are inserted in the alert's text.
    open var alertLocalizationArgs: [CKRecord.FieldKey]? {
        get { values.copy.alertLocalizationArgs }
        set { values.withLock { $0.alertLocalizationArgs = newValue } }
    }

    /// The fields whose values are inserted in the title.
    open var titleLocalizationArgs: [CKRecord.FieldKey]? {
        get { values.copy.titleLocalizationArgs }
        set { values.withLock { $0.titleLocalizationArgs = newValue } }
    }

    /// The fields whose values are inserted in the subtitle.
    open var subtitleLocalizationArgs: [CKRecord.FieldKey]? {
        get { values.copy.subtitleLocalizationArgs }
        set { values.withLock { $0.subtitleLocalizationArgs = newValue } }
    }

    /// The fields that the notification contains, at most three.
    open var desiredKeys: [CKRecord.FieldKey]? {
        get { values.copy.desiredKeys }
        set { values.withLock { $0.desiredKeys = newValue } }
    }

    /// Whether a notification increments the number on the app's icon.
    open var shouldBadge: Bool {
        get { values.copy.shouldBadge }
        set { values.withLock { $0.shouldBadge = newValue } }
    }

    /// Whether a notification wakes the app in the background.
    open var shouldSendContentAvailable: Bool {
        get { values.copy.shouldSendContentAvailable }
        set { values.withLock { $0.shouldSendContentAvailable = newValue } }
    }

    /// Whether the app may change the notification before it is shown.
    open var shouldSendMutableContent: Bool {
        get { values.copy.shouldSendMutableContent }
        set { values.withLock { $0.shouldSendMutableContent = newValue } }
    }
}
