import ArgumentParser

/// `zonda load`.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Put load on the services and verify that nothing is lost.",
        discussion: """
            EXAMPLES
              zonda load records --duration 20s --verify
              zonda load assets --duration 20s --verify
              zonda load subscriptions --watchers 50 --duration 20s
            """,
        subcommands: [LoadRecords.self, LoadAssets.self, LoadSubscriptions.self], defaultSubcommand: LoadRecords.self)
}
