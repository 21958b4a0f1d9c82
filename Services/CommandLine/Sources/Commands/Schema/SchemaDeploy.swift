import ArgumentParser
import CloudKitWire
import CommandLineSession

/// `zonda schema deploy`: an operator's command.
struct SchemaDeploy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deploy",
        abstract: "Bring the schema of development to production, after showing what changes.",
        discussion: """
            Types, fields and roles are only ever added; indexes come and go. Indexes over existing records are built \
            in the background: zonda schema status --environment production tells how far they are.

            EXAMPLES
              zonda schema deploy --dry-run
              zonda schema deploy --yes
            """)

    @OptionGroup var global: GlobalOptions

    @Flag(help: "Show what would change, and change nothing.")
    var dryRun = false

    @Flag(help: "Do not ask.")
    var yes = false

    func run() async throws {
        let container = try global.scope().container
        try await global.withSession { session in
            try await deploy(container, session) { try await Confirmation.ask("Deploy this to production?") }
        }
    }

    /// Shows the plan and carries it out.
    ///
    /// - Parameter confirm: called between the two unless `--yes` is given; throws to end it.
    func deploy(_ container: String, _ requester: some Requester, confirm: () async throws -> Void) async throws {
        let plan = try await requester.deploySchema(container: container, isDryRun: true)
        // Programs that do not need to be asked get one object.
        let showsPlan = dryRun || !yes || !global.json
        if showsPlan { SchemaReport.show(plan, asJSON: global.json) }
        guard !dryRun, !showsPlan || plan["changes"]?.array?.isEmpty == false else { return }
        if !yes { try await confirm() }
        let answer = try await requester.deploySchema(container: container, isDryRun: false)
        Console.print(global.json ? answer.text : "deployed")
    }
}
