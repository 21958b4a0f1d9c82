import ArgumentParser
import CloudKitWire
import CommandLineSession

/// `zonda share link`.
struct ShareLink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Print the link of a share, replace it, or make a one-time link.",
        discussion: """
            Prints the identifier in the link. The page of the gateway for the link is /share/ and the identifier. \
            With --rotate, the old link is unknown from then on. Participants keep their access. With --one-time, \
            adds a participant without an identity: the first user who accepts the printed link becomes this \
            participant, and the link is unknown to all other users from then on.

            EXAMPLES
              zonda share link --zone Notes groceries
              zonda share link --zone Notes groceries --rotate
              zonda share link --zone Notes groceries --one-time --permission read-write
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: ManagedShareOptions

    @Flag(help: "Replace the link with a new one.")
    var rotate = false

    @Flag(help: "Make a link for a single user.")
    var oneTime = false

    @Option(help: "The permission of the user of a one-time link: read-only or read-write.")
    var permission: PermissionSpelling?

    func validate() throws {
        guard !(rotate && oneTime) else { throw ValidationError("Specify either --rotate or --one-time") }
        guard oneTime || permission == nil else { throw ValidationError("--permission requires --one-time") }
        guard permission != PermissionSpelling.none else {
            throw ValidationError("A one-time link needs the permission read-only or read-write")
        }
    }

    func run() async throws {
        try await global.withShare(options) { session, share in
            guard let link = try await link(of: share, session) else {
                throw RequestFailure.unanswered(reason: "the answer contains no link")
            }
            Console.print(global.json ? (["shortGUID": .string(link)] as JSONValue).text : link)
        }
    }

    private func link(of share: ShareRecord, _ session: BrokerSession) async throws -> String? {
        if rotate {
            return try await session.save([share.updating(("replaceShortGUID", true))], in: options.place).link
        }
        guard oneTime else { return share.link }
        let list = share.participants + [ShareMember.oneTime((permission ?? .readOnly).permission)]
        let saved = try await session.save([share.updating(("participants", .array(list)))], in: options.place)
        return saved.oneTimeLinks.first { !share.oneTimeLinks.contains($0) }
    }
}
