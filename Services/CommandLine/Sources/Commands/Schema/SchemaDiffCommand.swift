import ArgumentParser
import CloudKitSchema
import CloudKitWire
import CommandLineSession

/// `zonda schema diff`: an operator's command, without a server when both are files.
struct SchemaDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Tell what makes one schema of another.",
        discussion: """
            A line begins with + for what comes, - for what goes, ~ for what becomes something else. Order, layout and \
            comments make no difference.

            EXAMPLES
              zonda schema diff production development
              zonda schema diff production notes.ckdb --json
              zonda schema diff old.ckdb new.ckdb
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The schema as it was: development, production or a file.")
    var old: SchemaSource

    @Argument(help: "The schema as it is to be.")
    var new: SchemaSource

    func validate() throws {
        if old == .file("-"), new == .file("-") { throw ValidationError("Standard input is one schema, not two") }
    }

    func run() async throws {
        guard old.isEnvironment || new.isEnvironment else {
            return try await global.failing { try await show(nil, container: "") }
        }
        let container = try global.scope().container
        try await global.withSession { try await show($0, container: container) }
    }

    private func show(_ session: BrokerSession?, container: String) async throws {
        let old = try await old.definition(session, container: container)
        let new = try await new.definition(session, container: container)
        let answer = SchemaReport.json(SchemaDiff(from: old, to: new), warnings: new.warnings)
        SchemaReport.show(answer, asJSON: global.json)
    }
}
