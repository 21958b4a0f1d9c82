internal import CloudKitWire

/// The conversion of `notificationInfo` (web-services 3.8). Its keys are named as the properties, except `desiredKeys`.
enum NotificationInfoCoding {
    private static let texts: [(String, any WritableKeyPath<NotificationSettings, String?> & Sendable)] = [
        ("alertBody", \.alertBody), ("alertLocalizationKey", \.alertLocalizationKey), ("title", \.title),
        ("titleLocalizationKey", \.titleLocalizationKey), ("subtitle", \.subtitle),
        ("subtitleLocalizationKey", \.subtitleLocalizationKey),
        ("alertActionLocalizationKey", \.alertActionLocalizationKey), ("alertLaunchImage", \.alertLaunchImage),
        ("soundName", \.soundName), ("category", \.category), ("collapseIDKey", \.collapseIDKey),
    ]

    private static let lists: [(String, any WritableKeyPath<NotificationSettings, [String]?> & Sendable)] = [
        ("alertLocalizationArgs", \.alertLocalizationArgs), ("titleLocalizationArgs", \.titleLocalizationArgs),
        ("subtitleLocalizationArgs", \.subtitleLocalizationArgs), ("additionalFields", \.desiredKeys),
    ]

    private static let flags: [(String, any WritableKeyPath<NotificationSettings, Bool> & Sendable)] = [
        ("shouldBadge", \.shouldBadge), ("shouldSendContentAvailable", \.shouldSendContentAvailable),
        ("shouldSendMutableContent", \.shouldSendMutableContent),
    ]

    /// Returns the dictionary of the settings. Empty lists are omitted.
    static func json(of settings: NotificationSettings) -> JSONValue {
        var members: [JSONValue.Member] = []
        for (key, path) in texts {
            if let text = settings[keyPath: path] { members.append(JSONValue.Member(key, .string(text))) }
        }
        for (key, path) in lists {
            guard let list = settings[keyPath: path], !list.isEmpty else { continue }
            members.append(JSONValue.Member(key, .array(list.map { .string($0) })))
        }
        for (key, path) in flags where settings[keyPath: path] { members.append(JSONValue.Member(key, true)) }
        return .object(members)
    }

    /// Returns the object that a dictionary describes.
    static func info(from json: JSONValue) -> CKNotificationInfo {
        var settings = NotificationSettings()
        for (key, path) in texts { settings[keyPath: path] = json[key]?.string }
        for (key, path) in lists { settings[keyPath: path] = json[key]?.array?.compactMap(\.string) }
        for (key, path) in flags { settings[keyPath: path] = json[key]?.bool ?? false }
        let info = CKNotificationInfo()
        info.settings = settings
        return info
    }
}
