import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession

/// `zonda share …`.
struct ShareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Share records and zones, accept and leave shares, and explain what users may see.",
        discussion: """
            The commands act for the user of --user: as the owner of the zone, or, to accept and to leave, as a \
            participant. With --owner, they act as an administrator of another user's share. A share is named by its \
            own record name or by that of its root.

            EXAMPLES
              zonda share create --zone Notes groceries --invite ada@example.org
              zonda share accept $(zonda share link --zone Notes groceries)
              zonda share explain --zone Notes --owner _01… --user _23… milk
            """,
        subcommands: [
            ShareCreate.self, ShareList.self, ShareShow.self, ShareInvite.self, ShareRemove.self, ShareLink.self,
            ShareAccept.self, ShareLeave.self, ShareStop.self, ShareRequest.self, ShareRequests.self,
            ShareExplain.self,
        ])
}

/// The arguments that name a share in one of the user's zones.
struct ShareOptions: ParsableArguments {
    @Option(help: "The record zone.")
    var zone: String

    @Argument(help: "The name of the share or of its root; cloudkit.zoneshare for the share of the whole zone.")
    var name: String

    /// The zone.
    var place: ZonePlace { ZonePlace(zone) }
}

/// The arguments that name a share that the user manages as its owner or as an administrator.
struct ManagedShareOptions: ParsableArguments {
    @OptionGroup var share: ShareOptions

    @Option(help: "The user who owns the zone, to act as an administrator of the share.")
    var owner: String?

    /// The zone.
    var place: ZonePlace { ZonePlace(share.zone, owner: owner) }
}

/// A permission, spelled as in options.
enum PermissionSpelling: String, ExpressibleByArgument, CaseIterable {
    case none
    case readOnly = "read-only"
    case readWrite = "read-write"

    /// The permission.
    var permission: SharePermission {
        switch self {
        case .none: .none
        case .readOnly: .readOnly
        case .readWrite: .readWrite
        }
    }
}

extension ShareMember: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}

extension GlobalOptions {
    /// Prints a share with its participants.
    func show(_ share: ShareRecord) { Console.print(json ? share.json.text : ShareLine.details(share.json)) }

    /// Opens a session in the database in which the user manages a share, and reads the share.
    func withShare(
        _ options: ManagedShareOptions, _ body: (BrokerSession, ShareRecord) async throws -> Void
    ) async throws {
        let work = { (session: BrokerSession) async throws in
            try await body(session, try await session.share(options.share.name, in: options.place))
        }
        if options.owner == nil { try await withSession(work) } else { try await withSession(in: .shared, work) }
    }

    /// Opens a session in another database of the same user, regardless of `--database`.
    func withSession(in database: DatabaseScope, _ body: (BrokerSession) async throws -> Void) async throws {
        var scope = try scope()
        scope.database = database
        try await withSession { [scope] session in try await body(session.acting(in: scope)) }
    }
}
