package import ArgumentParser

/// `zonda-limits`: what a saving service cannot exceed.
package struct LimitsCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "zonda-limits",
        abstract: "Measures what RabbitMQ alone and PostgreSQL alone reach with the requests of a load.",
        discussion: """
            `deploy/bench` calls it beside `zonda load` and compares. Addresses and scope come from the environment, as \
            `.zonda/env` sets it.
            """,
        subcommands: [
            SizesCommand.self, BrokerCommand.self, AnswerCommand.self, DatabaseCommand.self, ReportCommand.self,
        ])

    /// Without a subcommand it prints its help.
    package init() {}
}
