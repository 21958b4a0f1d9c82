import ArgumentParser
import CloudKitWire
import CommandLineSession

/// `zonda share remove`.
struct ShareRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove participants from a share, or withdraw their invitations.",
        discussion: """
            EXAMPLE
              zonda share remove --zone Notes groceries ada@example.org
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: ManagedShareOptions

    @Argument(help: "User record names, email addresses, and the ids of participants.")
    var who: [ShareMember]

    func run() async throws {
        try await global.withShare(options) { session, share in
            let (rest, unknown) = ShareMember.removing(who, from: share.participants)
            guard unknown.isEmpty else {
                throw RequestFailure.refused(
                    RequestFailure.Refusal(
                        code: "NOT_FOUND",
                        reason: "not a participant of the share: \(unknown.map(\.text).joined(separator: ", "))"))
            }
            global.show(try await session.save([share.updating(("participants", .array(rest)))], in: options.place))
        }
    }
}
