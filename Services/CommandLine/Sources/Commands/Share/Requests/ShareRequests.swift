import ArgumentParser
import CloudKitWire
import CommandLineSession

/// `zonda share requests …`.
struct ShareRequests: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "requests",
        abstract: "Allow, list and answer requests for access to a share.",
        discussion: """
            If a share allows requests, every user who has its link can request access.

            EXAMPLES
              zonda share requests allow --zone Notes groceries
              zonda share requests list --zone Notes groceries
              zonda share requests approve --zone Notes groceries _23… --permission read-write
            """,
        subcommands: [
            ShareRequestsAllow.self, ShareRequestsList.self, ShareRequestsApprove.self, ShareRequestsDeny.self,
            ShareRequestsBlock.self, ShareRequestsUnblock.self,
        ])
}

/// `zonda share requests allow`.
struct ShareRequestsAllow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow",
        abstract: "Allow requests for access to a share, or no longer allow them.",
        discussion: """
            If requests are not allowed, the share is unknown to users who are not participants. Pending requests \
            remain until they are answered.

            EXAMPLES
              zonda share requests allow --zone Notes groceries
              zonda share requests allow --zone Notes groceries --off
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: ManagedShareOptions

    @Flag(help: "No longer allow requests.")
    var off = false

    func run() async throws {
        try await global.withShare(options) { session, share in
            global.show(
                try await session.save([share.updating(("allowsAccessRequests", .bool(!off)))], in: options.place))
        }
    }
}

/// `zonda share requests list`.
struct ShareRequestsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the users who request access to a share, and the users who are blocked.",
        discussion: """
            EXAMPLE
              zonda share requests list --zone Notes groceries
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: ManagedShareOptions

    func run() async throws {
        try await global.withShare(options) { _, share in
            for (key, state) in [("requesters", "requested"), ("blocked", "blocked")] {
                for requester in share.json[key]?.array ?? [] {
                    _ = global.show(requester) { ShareLine.requester($0, state) }
                }
            }
        }
    }
}
