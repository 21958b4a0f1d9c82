internal import CloudKitModel
internal import CloudKitWire

/// How the notifications of a subscription are shown (semantics 9.2, web-services 3.8).
struct NotificationInfo: Sendable, Equatable {
    private enum Kind { case text, texts, flag }

    private static let kinds: [(key: String, kind: Kind)] = [
        ("alertBody", .text), ("alertLocalizationKey", .text), ("alertLocalizationArgs", .texts),
        ("alertActionLocalizationKey", .text), ("alertLaunchImage", .text),
        ("title", .text), ("titleLocalizationKey", .text), ("titleLocalizationArgs", .texts),
        ("subtitle", .text), ("subtitleLocalizationKey", .text), ("subtitleLocalizationArgs", .texts),
        ("soundName", .text), ("category", .text), ("collapseIDKey", .text), ("additionalFields", .texts),
        ("shouldBadge", .flag), ("shouldSendContentAvailable", .flag), ("shouldSendMutableContent", .flag),
    ]

    /// The keys of `aps.alert`. What localised texts take as arguments are values of a record's fields, and a zone's
    /// notification is not about a record: those stay away.
    private static let alertKeys = [
        ("alertBody", "body"), ("alertLocalizationKey", "loc-key"), ("alertActionLocalizationKey", "action-loc-key"),
        ("alertLaunchImage", "launch-image"), ("title", "title"), ("titleLocalizationKey", "title-loc-key"),
        ("subtitle", "subtitle"), ("subtitleLocalizationKey", "subtitle-loc-key"),
    ]

    /// The most bytes that it may have as JSON.
    static let maxBytes = 16 * 1024

    /// The known keys that have a value, in the order of the table above; flags always have one.
    private let members: [JSONValue.Member]

    /// Reads a notification-info dictionary. Keys that nobody knows are left out.
    ///
    /// - Throws: `BAD_REQUEST` naming the key.
    init(_ json: JSONValue) throws(ServerError) {
        guard json.members != nil else { throw .wrongKind("notificationInfo", expected: "a dictionary") }
        var members: [JSONValue.Member] = []
        for (key, kind) in Self.kinds {
            let value = json[key] ?? .null
            switch kind {
            case .flag:
                guard value.isNull || value.bool != nil else { throw .wrongKind(key, expected: "true or false") }
                members.append(JSONValue.Member(key, value.isNull ? false : value))
            case .text:
                guard value.isNull || value.string != nil else { throw .wrongKind(key, expected: "a string") }
                if !value.isNull { members.append(JSONValue.Member(key, value)) }
            case .texts:
                let isList = value.array?.allSatisfy { $0.string != nil } ?? value.isNull
                guard isList else { throw .wrongKind(key, expected: "a list of strings") }
                if !value.isNull { members.append(JSONValue.Member(key, value)) }
            }
        }
        self.members = members
        let size = self.json.encoded().count
        guard size <= Self.maxBytes else {
            throw ServerError(
                .notificationInfoTooLong, "A notificationInfo has at most \(Self.maxBytes) bytes",
                field: "notificationInfo",
                limit: Self.maxBytes, actual: size)
        }
    }

    /// The dictionary, as it is stored and answered.
    var json: JSONValue { .object(members) }

    /// The `aps` part of a notification as JSON (web-services 8.3); nil when there is nothing to show. The count of a
    /// badge is not kept yet: `shouldBadge` shows nothing.
    var aps: [UInt8]? {
        var aps: [JSONValue.Member] = []
        let alert = Self.alertKeys.compactMap { key, name in json[key].map { JSONValue.Member(name, $0) } }
        if alert.count == 1, alert[0].key == "body" {
            aps.append(JSONValue.Member("alert", alert[0].value))
        } else if !alert.isEmpty {
            aps.append(JSONValue.Member("alert", .object(alert)))
        }
        if let sound = json["soundName"] { aps.append(JSONValue.Member("sound", sound)) }
        if let category = json["category"] { aps.append(JSONValue.Member("category", category)) }
        if json["shouldSendContentAvailable"] == true { aps.append(JSONValue.Member("content-available", 1)) }
        if json["shouldSendMutableContent"] == true { aps.append(JSONValue.Member("mutable-content", 1)) }
        return aps.isEmpty ? nil : JSONValue.object(aps).encoded()
    }
}
