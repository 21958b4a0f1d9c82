package import CloudKitModel
package import CloudKitWire

/// How the notifications of a subscription are shown (semantics 9.2, web-services 3.8).
package struct NotificationInfo: Sendable, Equatable {
    private enum Kind { case text, texts, flag }

    private static let kinds: [(key: String, kind: Kind)] = [
        ("alertBody", .text), ("alertLocalizationKey", .text), ("alertLocalizationArgs", .texts),
        ("alertActionLocalizationKey", .text), ("alertLaunchImage", .text),
        ("title", .text), ("titleLocalizationKey", .text), ("titleLocalizationArgs", .texts),
        ("subtitle", .text), ("subtitleLocalizationKey", .text), ("subtitleLocalizationArgs", .texts),
        ("soundName", .text), ("category", .text), ("collapseIDKey", .text), ("additionalFields", .texts),
        ("shouldBadge", .flag), ("shouldSendContentAvailable", .flag), ("shouldSendMutableContent", .flag),
    ]

    /// The keys whose values appear in `aps.alert`, each with the name that its value has there. If `isArguments` is
    /// true, the value names fields, and the values of these fields are the arguments of a localized string.
    package static let alertKeys: [(key: String, name: String, isArguments: Bool)] = [
        ("alertBody", "body", false), ("alertLocalizationKey", "loc-key", false),
        ("alertLocalizationArgs", "loc-args", true), ("alertActionLocalizationKey", "action-loc-key", false),
        ("alertLaunchImage", "launch-image", false), ("title", "title", false),
        ("titleLocalizationKey", "title-loc-key", false), ("titleLocalizationArgs", "title-loc-args", true),
        ("subtitle", "subtitle", false), ("subtitleLocalizationKey", "subtitle-loc-key", false),
        ("subtitleLocalizationArgs", "subtitle-loc-args", true),
    ]

    /// The maximum number of arguments of a localized string.
    package static let maxArguments = 16
    /// The maximum number of fields whose values a notification carries (CKSubscription.NotificationInfo.desiredKeys).
    package static let maxAdditionalFields = 3

    /// The maximum size of the dictionary as JSON, in bytes.
    package static let maxBytes = 16 * 1024

    /// The known keys that have a value, in the order of ``kinds``. Flags always have a value.
    private let members: [JSONValue.Member]

    /// Reads a notification info dictionary. Unknown keys are ignored.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the key.
    package init(_ json: JSONValue) throws(ServerError) {
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
        let additional = self["additionalFields"]?.array?.count ?? 0
        guard additional <= Self.maxAdditionalFields else {
            throw ServerError(
                .tooManyDesiredKeys, "A notification carries at most \(Self.maxAdditionalFields) fields",
                field: "additionalFields", limit: Self.maxAdditionalFields, actual: additional)
        }
        for part in Self.alertKeys where part.isArguments {
            let count = self[part.key]?.array?.count ?? 0
            guard count <= Self.maxArguments else {
                throw ServerError.tooMany(part.key, limit: Self.maxArguments, actual: count)
            }
        }
        let size = self.json.encoded().count
        guard size <= Self.maxBytes else {
            throw ServerError(
                .notificationInfoTooLong, "A notificationInfo can be at most \(Self.maxBytes) bytes long",
                field: "notificationInfo",
                limit: Self.maxBytes, actual: size)
        }
    }

    /// The dictionary as it is stored and returned.
    package var json: JSONValue { .object(members) }

    /// The value of a key; nil if the key has none.
    package subscript(_ key: String) -> JSONValue? { members.first { $0.key == key }?.value }

    /// Whether each notification increments the number on the app's icon.
    package var shouldBadge: Bool { self["shouldBadge"] == true }
}
