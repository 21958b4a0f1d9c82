import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession

/// `zonda share invite`.
struct ShareInvite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Invite users to a share, or change the permission of its participants.",
        discussion: """
            An invitation by email can be accepted by the user who has verified that address. No email is sent: send \
            the link to the invited users yourself. An administrator may invite and remove users, make one-time \
            links and answer requests for access; only the owner can make users administrators.

            EXAMPLES
              zonda share invite --zone Notes groceries ada@example.org --permission read-write
              zonda share invite --zone Notes groceries _23… --permission read-write --administrator
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: ManagedShareOptions

    @Argument(help: "User record names and email addresses.")
    var who: [ShareMember]

    @Option(help: "The permission: none, read-only or read-write.")
    var permission = PermissionSpelling.readOnly

    @Flag(help: "Make the users administrators of the share.")
    var administrator = false

    func validate() throws {
        guard Set(who).count == who.count else { throw ValidationError("A participant is specified twice") }
        guard !who.contains(where: \.isID) else {
            throw ValidationError("Specify user record names or email addresses")
        }
    }

    func run() async throws {
        try await global.withShare(options) { session, share in
            let list = ShareMember.inviting(
                who, permission.permission, as: administrator ? .administrator : nil, to: share.participants)
            global.show(try await session.save([share.updating(("participants", .array(list)))], in: options.place))
        }
    }
}
