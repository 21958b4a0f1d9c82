import AMQPClient
import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import Foundation
import ServiceMessages

/// `zonda consumer list`.
struct ConsumerList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the consumers and their grants.",
        discussion: """
            EXAMPLE
              zonda consumer list --json
            """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await global.list(.consumersList, "consumers", line: ConsumerCommand.describe)
    }
}
