package import ArgumentParser

/// `zonda-limits`, which measures the limits that the services cannot exceed.
package struct LimitsCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "zonda-limits",
        abstract: "Measure the limits of RabbitMQ, PostgreSQL, the disk and TCP for the work of Zonda.",
        discussion: """
            `deploy/bench` runs this program and `zonda`, and compares the results. The URLs and the scope are read \
            from the environment variables that `.zonda/env` sets.
            """,
        subcommands: [
            SizesCommand.self, BrokerCommand.self, DatabaseCommand.self, FillCommand.self, LookupsCommand.self,
            WalkCommand.self, TailCommand.self, PackagesCommand.self, QueryCommand.self, QueryWalkCommand.self,
            RelayCommand.self, GatewayCommand.self, PollsCommand.self, FanOutCommand.self, MatchingCommand.self,
            StallCommand.self, SharedSavesCommand.self, SharedWalkCommand.self, SmallShareCommand.self,
            ChangedZonesCommand.self, ShareTreeCommand.self,
            AnswerCommand.self, FileCommand.self, UploadAddressCommand.self, ForgetCommand.self, ReportCommand.self,
        ])

    /// Creates the command. Without a subcommand, it prints its help.
    package init() {}
}
