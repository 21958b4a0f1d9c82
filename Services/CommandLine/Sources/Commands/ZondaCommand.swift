package import ArgumentParser

/// `zonda`: operates and inspects a Zonda deployment through its message broker.
package struct ZondaCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "zonda",
        abstract: "Operate, inspect and test a Zonda deployment through its message broker.",
        discussion: """
            Commands send AMQP messages to the services. The messages' bodies are the JSON of CloudKit Web Services.
            Exit status: 0 for success, 1 for failure or a failed verification, 64 for invalid usage.

            EXAMPLE
              . .zonda/env
              zonda zone create Notes
              zonda record save --zone Notes --type Note shopping title=Milk
              zonda record get --zone Notes shopping
            """,
        subcommands: [
            ContainerCommand.self, UserCommand.self, TokenCommand.self, KeyCommand.self, SchemaCommand.self,
            RoleCommand.self, ZoneCommand.self, RecordCommand.self, ShareCommand.self,
            QueryCommand.self, AssetCommand.self, SubscribeCommand.self, SubscriptionCommand.self, BadgeCommand.self,
            WatchCommand.self, ConsumerCommand.self, ExportCommand.self, ImportCommand.self, LimitsCommand.self,
            LoadCommand.self, ProvisionCommand.self,
        ])

    /// Creates a command whose options the parser sets.
    package init() {}
}

extension ZondaCommand {
    /// Parses the process's arguments, runs the command, and exits with its status.
    package static func runFromArguments() async { await main(nil) }
}
