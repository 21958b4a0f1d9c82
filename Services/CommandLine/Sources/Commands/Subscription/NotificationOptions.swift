import ArgumentParser
import CloudKitWire
import CommandLineSession

/// The options of a subscription that determine how devices show its notifications (web-services 3.8).
struct NotificationOptions: ParsableArguments {
    @Option(help: "The text that devices show.")
    var alert: String?

    @Option(help: "The title, shown above the text.")
    var title: String?

    @Option(help: "The subtitle, shown between the title and the text.")
    var subtitle: String?

    @Option(help: ArgumentHelp("The key of a localized string in the app, which replaces --alert.", valueName: "key"))
    var alertKey: String?

    @Option(
        help: ArgumentHelp(
            "A field whose value is an argument of the localized string; may be repeated.", valueName: "field"))
    var alertField: [String] = []

    @Option(help: "The sound that devices play.")
    var sound: String?

    @Option(help: "The notification's category in the app.")
    var category: String?

    @Option(help: "The image that the app shows when it is launched.")
    var launchImage: String?

    @Option(
        help: ArgumentHelp(
            "A key; devices show only the last of the notifications with the same key.", valueName: "key"))
    var collapse: String?

    @Option(help: "A field of the record to include in the notification; may be repeated for up to three fields.")
    var field: [String] = []

    @Flag(help: "Increment the app's badge.")
    var badge = false

    @Flag(help: "Wake the app in the background.")
    var contentAvailable = false

    @Flag(help: "Let the app change the notification before it is shown.")
    var mutableContent = false

    /// The notification-info dictionary, which contains only the options that are given.
    var json: JSONValue {
        func text(_ value: String?) -> JSONValue? { value.map { .string($0) } }
        func texts(_ values: [String]) -> JSONValue? { values.isEmpty ? nil : .array(values.map { .string($0) }) }
        return .object(having: [
            ("alertBody", text(alert)), ("title", text(title)), ("subtitle", text(subtitle)),
            ("alertLocalizationKey", text(alertKey)), ("alertLocalizationArgs", texts(alertField)),
            ("soundName", text(sound)), ("category", text(category)), ("alertLaunchImage", text(launchImage)),
            ("collapseIDKey", text(collapse)), ("additionalFields", texts(field)),
            ("shouldBadge", badge ? true : nil), ("shouldSendContentAvailable", contentAvailable ? true : nil),
            ("shouldSendMutableContent", mutableContent ? true : nil),
        ])
    }
}
