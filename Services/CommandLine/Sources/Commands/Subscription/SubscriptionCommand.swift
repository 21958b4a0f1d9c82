import ArgumentParser

/// `zonda subscription …`.
struct SubscriptionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscription",
        abstract: "List, show, test and delete saved subscriptions; zonda subscribe saves them.",
        subcommands: [SubscriptionList.self, SubscriptionShow.self, SubscriptionTest.self, SubscriptionDelete.self])
}
