import ArgumentParser
import CloudKitWire
import CommandLineSession

/// How devices show the notifications of a subscription (web-services 3.8).
struct NotificationOptions: ParsableArguments {
    @Option(help: "The text that devices show.")
    var alert: String?

    @Option(help: "The text above it.")
    var title: String?

    @Option(help: "The text between the two.")
    var subtitle: String?

    @Option(help: ArgumentHelp("The app's key of a text in the user's language, before --alert.", valueName: "key"))
    var alertKey: String?

    @Option(help: ArgumentHelp("A field whose value is put into that text; may be repeated.", valueName: "field"))
    var alertField: [String] = []

    @Option(help: "The sound that devices play.")
    var sound: String?

    @Option(help: "The app's category of the notification.")
    var category: String?

    @Option(help: "The app's picture that is shown when it is opened.")
    var launchImage: String?

    @Option(help: ArgumentHelp("Of notifications with the same, devices show the last.", valueName: "key"))
    var collapse: String?

    @Option(help: "A field of the record that the notification carries; at most three.")
    var field: [String] = []

    @Flag(help: "Count the app's badge up.")
    var badge = false

    @Flag(help: "Wake the app in the background.")
    var contentAvailable = false

    @Flag(help: "Let the app change the notification before it is shown.")
    var mutableContent = false

    /// The notification-info dictionary, without what was not said.
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
