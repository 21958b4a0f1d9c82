import ArgumentParser

/// `zonda subscription …`.
struct SubscriptionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscription",
        abstract: "List, show, test and delete the subscriptions that zonda subscribe saves.",
        subcommands: [SubscriptionList.self, SubscriptionShow.self, SubscriptionTest.self, SubscriptionDelete.self])
}
