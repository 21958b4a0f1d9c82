package import ArgumentParser

/// `zonda-limits`, which measures the limits that the services cannot exceed.
package struct LimitsCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "zonda-limits",
        abstract: "Measures what RabbitMQ, PostgreSQL, the disk and TCP reach alone with the work of Zonda.",
        discussion: """
            `deploy/bench` calls it beside `zonda` and compares. Addresses and scope come from the environment, as \
            `.zonda/env` sets it.
            """,
        subcommands: [
            SizesCommand.self, BrokerCommand.self, DatabaseCommand.self, FillCommand.self, LookupsCommand.self,
            WalkCommand.self, TailCommand.self, PackagesCommand.self, QueryCommand.self, QueryWalkCommand.self,
            RelayCommand.self, GatewayCommand.self, PollsCommand.self, FanOutCommand.self, MatchingCommand.self,
            StallCommand.self,
            AnswerCommand.self, FileCommand.self, UploadAddressCommand.self, ForgetCommand.self, ReportCommand.self,
        ])

    /// Creates the command. Without a subcommand, it prints its help.
    package init() {}
}
