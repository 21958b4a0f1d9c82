import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda badge …`.
struct BadgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "badge",
        abstract: "Set the number that notifications with a badge go on from.",
        subcommands: [BadgeSet.self])

}
