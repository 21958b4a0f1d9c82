import ArgumentParser
import CloudKitSchema
import CommandLineSession

/// `zonda schema diff`: an operator command. It needs no server if both schemas are files.
struct SchemaDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Print the differences between two schemas.",
        discussion: """
            Each line begins with + for an addition, - for a removal, or ~ for a change. Order, layout and comments \
            are ignored.

            EXAMPLES
              zonda schema diff production development
              zonda schema diff production notes.ckdb --json
              zonda schema diff old.ckdb new.ckdb
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The old schema: development, production or a file.")
    var old: SchemaSource

    @Argument(help: "The new schema: development, production or a file.")
    var new: SchemaSource

    func validate() throws {
        if old == .file("-"), new == .file("-") {
            throw ValidationError("Only one of the schemas can be read from standard input")
        }
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
        SchemaReport.show(SchemaComparison(from: old, to: new), asJSON: global.json)
    }
}
