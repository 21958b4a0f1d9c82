import ArgumentParser
import CommandLineSession
import Foundation
import OperatorMessages

/// `zonda schema export`: an operator command.
struct SchemaExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print the schema of an environment.",
        discussion: """
            EXAMPLES
              zonda schema export > notes.ckdb
              zonda schema export --environment production -o notes.ckdb
            """)

    @OptionGroup var global: GlobalOptions

    @Option(name: [.customShort("o"), .long], help: "The file to write, or - for standard output.")
    var output = "-"

    func run() async throws {
        let scope = try global.scope()
        try await global.withSession { session in
            let answer = try await session.ask(
                SchemaExportRequest(container: scope.container, environment: scope.environment))
            guard output != "-" else { return global.show(answer) { String($0.schema.dropLast()) } }
            do {
                try answer.schema.write(toFile: output, atomically: true, encoding: .utf8)
            } catch {
                throw RequestFailure.local(
                    .file, reason: "'\(output)' cannot be written: \(error.localizedDescription)")
            }
        }
    }
}
