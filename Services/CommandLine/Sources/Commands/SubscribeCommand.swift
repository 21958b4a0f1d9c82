import ArgumentParser
import CloudKitWire
import ServiceMessages

/// `zonda subscribe`.
struct SubscribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Save a subscription to all changes in a zone.",
        discussion: """
            The subscription is the user's and fires for every change from now on; saving one of the same id replaces \
            it. Listen with: zonda watch --subscription ID.

            EXAMPLES
              zonda subscribe --zone Notes --id notes-watch
              zonda subscribe --zone Notes --alert "Notes changed" --json
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var place: ZoneOption

    @Option(help: "The subscription's id. Default: the service makes one.")
    var id: String?

    @Option(help: "The text that devices show.")
    var alert: String?

    @Flag(help: "Wake the app in the background.")
    var contentAvailable = false

    func run() async throws {
        try await global.withSession { session in
            let answer = try await session.ask(
                .subscriptionsModify,
                ["operations": [["operationType": "create", "subscription": subscription]]],
                limit: GlobalOptions.requestLimit)
            guard global.show(answer["subscriptions"]?[0] ?? .null, line: Self.describe) else {
                throw ExitCode.failure
            }
        }
    }

    /// The subscription dictionary. Its notification info is always there: without one CloudKit refuses.
    var subscription: JSONValue {
        .object(having: [
            ("subscriptionID", id.map { .string($0) }),
            ("subscriptionType", "zone"),
            ("zoneID", ["zoneName": .string(place.zone)]),
            (
                "notificationInfo",
                .object(having: [
                    ("alertBody", alert.map { .string($0) }),
                    ("shouldSendContentAvailable", contentAvailable ? true : nil),
                ])
            ),
        ])
    }

    /// `notes-watch  zone Notes`.
    static func describe(_ subscription: JSONValue) -> String {
        (subscription["subscriptionID"]?.string ?? "")
            + (subscription["zoneID"]?["zoneName"]?.string.map { "  zone \($0)" } ?? "")
    }
}
