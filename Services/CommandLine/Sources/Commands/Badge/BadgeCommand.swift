import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda badge …`.
struct BadgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "badge",
        abstract: "Set the badge number that notifications increment.",
        subcommands: [BadgeSet.self])
}
