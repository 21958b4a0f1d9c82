internal import CloudKitModel
internal import CloudKitWire
internal import SubscriptionStorage

/// The values of a record that its notification shows (semantics 9.2).
extension NotificationInfo {
    /// The length, in Unicode scalars, to which strings from records are truncated. A visible character can consist of
    /// any number of scalars.
    private static let maxCharacters = 100

    private static func truncated(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(maxCharacters)))
    }

    /// Returns the `aps` member of a notification (web-services 8.3); nil if it would be empty.
    ///
    /// - Parameters:
    ///   - record: The record that the notification is about. Localized strings take their arguments from the record's
    ///     fields.
    ///   - badge: The number on the app's icon.
    func aps(about record: EventRecord?, badge: Int?) -> JSONValue? {
        var aps: [JSONValue.Member] = []
        let alert = alert(about: record)
        if alert.count == 1, alert[0].key == "body" {
            aps.append(JSONValue.Member("alert", alert[0].value))
        } else if !alert.isEmpty {
            aps.append(JSONValue.Member("alert", .object(alert)))
        }
        if let badge { aps.append(JSONValue.Member("badge", .int(Int64(badge)))) }
        if let sound = self["soundName"] { aps.append(JSONValue.Member("sound", sound)) }
        if let category = self["category"] { aps.append(JSONValue.Member("category", category)) }
        if self["shouldSendContentAvailable"] == true { aps.append(JSONValue.Member("content-available", 1)) }
        if self["shouldSendMutableContent"] == true { aps.append(JSONValue.Member("mutable-content", 1)) }
        return aps.isEmpty ? nil : .object(aps)
    }

    /// Returns the plain values of the fields that the subscription names; nil if it names none. Fields that the record
    /// lacks, or whose types cannot be shown, are left out.
    func additionalFields(of record: EventRecord) -> JSONValue? {
        guard let names = self["additionalFields"]?.array?.compactMap(\.string), !names.isEmpty else { return nil }
        return .object(
            names.compactMap { name in
                guard let value = record.fields[name], let shown = Self.field(value) else { return nil }
                return JSONValue.Member(name, shown)
            })
    }

    /// Returns the id that lets a later notification replace this one: the value of the field that `collapseIDKey`
    /// names, or the key itself if the record has no such field. Returns nil if the subscription has no
    /// `collapseIDKey`.
    func collapseID(about record: EventRecord?) -> String? {
        guard let key = self["collapseIDKey"]?.string else { return nil }
        return record?.fields[key].flatMap(Self.argument) ?? key
    }

    private func alert(about record: EventRecord?) -> [JSONValue.Member] {
        Self.alertKeys.compactMap { part in
            guard let value = self[part.key] else { return nil }
            guard part.isArguments else { return JSONValue.Member(part.name, value) }
            // A notification about a change as a whole has no record.
            guard let record else { return nil }
            let names = value.array?.compactMap(\.string) ?? []
            return JSONValue.Member(
                part.name, .array(names.map { .string(record.fields[$0].flatMap(Self.argument) ?? "") }))
        }
    }

    /// Returns a value as an argument of a localized string. Strings, numbers and timestamps can be arguments.
    private static func argument(_ value: FieldValue) -> String? {
        switch value {
        case .string(let text): truncated(text)
        case .int64(let number), .timestamp(let number): "\(number)"
        case .double(let number): "\(number)"
        default: nil
        }
    }

    /// Returns a value as it appears in `af`. Strings, numbers, timestamps, locations and references can be shown.
    private static func field(_ value: FieldValue) -> JSONValue? {
        switch value {
        case .string(let text): return .string(truncated(text))
        case .int64, .timestamp, .double, .location, .reference:
            var writer = WireWriter()
            writer.bareValue(value)
            return try? JSONValue(parsing: writer.bytes)
        default: return nil
        }
    }
}
