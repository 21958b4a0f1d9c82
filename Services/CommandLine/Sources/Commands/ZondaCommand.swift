package import ArgumentParser

/// `zonda`: operate, inspect, fill and load a Zonda deployment through its message queue.
package struct ZondaCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "zonda",
        abstract: "Operate, inspect and load Zonda through its message queue.",
        discussion: """
            Every command asks a service with an AMQP message whose body is the JSON of CloudKit Web Services.
            Exit status: 0 good, 1 failed or a verification found something, 64 wrong usage.

            EXAMPLE
              . .zonda/env
              zonda zone create Notes
              zonda record save --zone Notes --type Note shopping title=Milk
              zonda record get --zone Notes shopping
            """,
        subcommands: [
            ContainerCommand.self, UserCommand.self, TokenCommand.self, KeyCommand.self, SchemaCommand.self,
            RoleCommand.self, ZoneCommand.self, RecordCommand.self,
            QueryCommand.self, AssetCommand.self, SubscribeCommand.self, SubscriptionCommand.self, BadgeCommand.self,
            WatchCommand.self, ConsumerCommand.self, ExportCommand.self, ImportCommand.self, LimitsCommand.self,
            LoadCommand.self, ProvisionCommand.self,
        ])

    /// A command without options, to be filled by the parser.
    package init() {}
}

extension ZondaCommand {
    /// Reads the process's arguments, runs the command they name, and exits with its status.
    package static func runFromArguments() async { await main(nil) }
}
