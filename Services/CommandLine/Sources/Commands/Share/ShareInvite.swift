import ArgumentParser
import CloudKitWire
import CommandLineSession

/// `zonda share invite`.
struct ShareInvite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Invite users to a share, or change the permission of its participants.",
        discussion: """
            An invitation by email can be accepted by the user who has verified that address. No email is sent: send \
            the link to the invited users yourself.

            EXAMPLE
              zonda share invite --zone Notes groceries ada@example.org --permission read-write
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: ShareOptions

    @Argument(help: "User record names and email addresses.")
    var who: [ShareMember]

    @Option(help: "The permission: none, read-only or read-write.")
    var permission = PermissionSpelling.readOnly

    func validate() throws {
        guard Set(who).count == who.count else { throw ValidationError("A participant is specified twice") }
    }

    func run() async throws {
        try await global.withSession { session in
            let share = try await session.share(options.name, in: options.place)
            let list = ShareMember.inviting(who, permission.permission, to: share.participants)
            global.show(try await session.save([share.updating(("participants", .array(list)))], in: options.place))
        }
    }
}
