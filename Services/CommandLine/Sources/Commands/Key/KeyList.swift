import ArgumentParser
import CloudKitWire
import CommandLineSession
import Foundation
import ServiceMessages

/// `zonda key list`.
struct KeyList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the server-to-server keys of the container's environment.",
        discussion: """
            EXAMPLES
              zonda key list --environment production
              zonda key list --all --json
            """)

    @OptionGroup var global: GlobalOptions

    @Flag(help: "List the keys of all containers.")
    var all = false

    func run() async throws {
        try await global.list(.serverKeysList, "serverKeys", filter: try global.filter(all: all), line: AccountLine.key)
    }
}
