import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda schema deploy`: an operator command.
struct SchemaDeploy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deploy",
        abstract: "Deploy the development schema to production, after showing the changes.",
        discussion: """
            A deployment adds types, fields and roles, but removes none. It adds and removes indexes. Indexes on \
            existing records are built in the background: zonda schema status --environment production prints the \
            progress.

            EXAMPLES
              zonda schema deploy --dry-run
              zonda schema deploy --yes
            """)

    @OptionGroup var global: GlobalOptions

    @Flag(help: "Show the changes without making them.")
    var dryRun = false

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    func run() async throws {
        let container = try global.scope().container
        try await global.withSession { session in
            try await deploy(container, session) { try await Confirmation.ask("Deploy these changes to production?") }
        }
    }

    /// Shows the plan and, unless this is a dry run, executes it.
    ///
    /// - Parameter confirm: called before the plan is executed, unless `--yes` is given. It throws to cancel the
    ///   deployment.
    func deploy(_ container: String, _ requester: some Requester, confirm: () async throws -> Void) async throws {
        let plan = try await requester.ask(SchemaDeployRequest(container: container, dryRun: true))
        // With --yes and --json, the output is a single object.
        let showsPlan = dryRun || !yes || !global.json
        if showsPlan { SchemaReport.show(plan, asJSON: global.json) }
        guard !dryRun, !showsPlan || !plan.changes.isEmpty else { return }
        if !yes { try await confirm() }
        let answer = try await requester.ask(SchemaDeployRequest(container: container, dryRun: false))
        global.show(answer) { _ in "deployed" }
    }
}
