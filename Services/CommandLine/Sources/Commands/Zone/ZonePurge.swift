import ArgumentParser
import CloudKitModel
import CommandLineSession
import OperatorMessages

/// `zonda zone purge`: an operator command.
struct ZonePurge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract:
            "Delete a user's zones, and report a reason to the user's devices until the zones are created again.",
        discussion: """
            EXAMPLES
              zonda zone purge Notes --yes
              zonda zone purge --all --reason encryptedDataReset --yes
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The zones' names.")
    var names: [String] = []

    @Flag(help: "Purge all of the user's custom zones.")
    var all = false

    @Option(
        help: """
            The reason. purged: devices delete their copies, and upload nothing without asking the user. \
            encryptedDataReset: devices create the zones again and upload their data.
            """)
    var reason = ZoneDeletionReason.purged

    @Flag(help: "Confirm the purge; required because a purge cannot be undone.")
    var yes = false

    func validate() throws {
        guard names.isEmpty == all else { throw ValidationError("Specify either zones or --all") }
        guard reason != .deleted else { throw ValidationError("To delete zones, use zonda zone delete") }
        guard yes else { throw ValidationError("A purge cannot be undone: confirm it with --yes") }
        try ZoneCommand.check(names)
    }

    func run() async throws {
        let scope = try global.scope()
        guard scope.database == .private, let owner = scope.user else {
            throw ValidationError("A purge requires --user and the private database")
        }
        let purge = ZonesPurgeRequest(
            container: scope.container, environment: scope.environment, owner: owner, reason: reason,
            zones: all ? nil : names)
        try await global.withSession(isScoped: false) { session in
            var moreComing = true
            while moreComing {
                let answer = try await session.ask(purge)
                try ZoneCommand.show(answer.zones, global)
                moreComing = answer.moreComing
            }
        }
    }
}

extension ZoneDeletionReason: ExpressibleByArgument {}
