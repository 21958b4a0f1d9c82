package import ArgumentParser

/// `zonda load`, the root command of `zonda-load`.
package struct LoadCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Generate load and verify the results.",
        discussion: """
            EXAMPLES
              zonda load records --duration 20s --verify
              zonda load assets --duration 20s --verify
              zonda load subscriptions --watchers 50 --duration 20s
            """,
        subcommands: [LoadRecords.self, LoadAssets.self, LoadSubscriptions.self], defaultSubcommand: LoadRecords.self)

    /// The name by which the program was started: `zonda load` starts it under its own name.
    private static let name = CommandLine.arguments.first == "zonda load" ? "zonda load" : "zonda-load"

    /// Creates a command. The parser sets its options.
    package init() {}
}

extension LoadCommand {
    /// Parses the process's arguments, runs the command, and exits with its status.
    package static func runFromArguments() async { await main(nil) }
}
