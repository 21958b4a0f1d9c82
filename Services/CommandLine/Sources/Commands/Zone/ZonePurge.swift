import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda zone purge`: an operator's command.
struct ZonePurge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract:
            "Remove a user's zones for a reason that the user's devices are told, until they make them again.",
        discussion: """
            EXAMPLE
              zonda zone purge Notes --yes
              zonda zone purge --all --reason encryptedDataReset --yes
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The zones' names.")
    var names: [String] = []

    @Flag(help: "All custom zones of the user.")
    var all = false

    @Option(
        help: """
            purged: devices wipe their copies and upload nothing without asking. encryptedDataReset: they make the \
            zone again and upload what they have.
            """)
    var reason = ZoneDeletionReason.purged

    @Flag(help: "Needed: it cannot be undone.")
    var yes = false

    func validate() throws {
        guard names.isEmpty == all else { throw ValidationError("Name the zones, or give --all") }
        guard reason != .deleted else { throw ValidationError("Zones are deleted by: zonda zone delete") }
        guard yes else { throw ValidationError("A purge cannot be undone: give --yes") }
        try ZoneCommand.check(names)
    }

    func run() async throws {
        let scope = try global.scope()
        guard scope.database == .private, let owner = scope.user else {
            throw ValidationError("Whose zones? Give --user, and no --database but private")
        }
        let body = ZoneRequests.purge(all ? nil : names, of: owner, in: scope, reason: reason)
        try await global.withSession(isScoped: false) { session in
            var moreComing = true
            while moreComing {
                let answer = try await session.ask(.zonesPurge, body, limit: .requestLimit)
                try ZoneCommand.show(answer, global)
                moreComing = answer["moreComing"]?.bool == true
            }
        }
    }
}

extension ZoneDeletionReason: ExpressibleByArgument {}
