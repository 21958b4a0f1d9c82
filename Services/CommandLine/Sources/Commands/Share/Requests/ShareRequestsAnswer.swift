import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession

/// The arguments that name users who request access or are blocked.
struct RequesterArguments: ParsableArguments {
    @Argument(help: "User record names.")
    var users: [String]

    func validate() throws {
        for user in users where (try? UserName(validating: user)) == nil {
            throw ValidationError("'\(user)' is not a user record name")
        }
    }

    /// The identities of the users.
    var identities: JSONValue { .array(users.map { ["userRecordName": .string($0)] }) }
}

/// `zonda share requests approve`.
struct ShareRequestsApprove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Invite users who request access to a share.",
        discussion: """
            The users can then accept the share through its link.

            EXAMPLE
              zonda share requests approve --zone Notes groceries _23… --permission read-write
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: ManagedShareOptions
    @OptionGroup var users: RequesterArguments

    @Option(help: "The permission: read-only or read-write.")
    var permission = PermissionSpelling.readOnly

    func run() async throws {
        try await global.withShare(options) { session, share in
            let unknown = users.users.filter { !share.requesters.contains($0) }
            guard unknown.isEmpty else {
                throw RequestFailure.refused(
                    RequestFailure.Refusal(
                        code: "NOT_FOUND",
                        reason: "no request for access to the share: \(unknown.joined(separator: ", "))"))
            }
            let list = ShareMember.inviting(
                users.users.compactMap { ShareMember($0) }, permission.permission, to: share.participants)
            global.show(try await session.save([share.updating(("participants", .array(list)))], in: options.place))
        }
    }
}

/// A command that answers requests by saving the share with one key.
protocol ShareRequestsAnswer: AsyncParsableCommand {
    /// The key, whose value is the list of users.
    static var key: String { get }

    var global: GlobalOptions { get }
    var options: ManagedShareOptions { get }
    var users: RequesterArguments { get }
}

extension ShareRequestsAnswer {
    func run() async throws {
        try await global.withShare(options) { session, share in
            let answer = share.updating((Self.key, users.identities))
            global.show(try await session.save([answer], in: options.place))
        }
    }
}

/// `zonda share requests deny`.
struct ShareRequestsDeny: ShareRequestsAnswer {
    static let configuration = CommandConfiguration(
        commandName: "deny",
        abstract: "Deny requests for access to a share.",
        discussion: """
            The users can request access again.

            EXAMPLE
              zonda share requests deny --zone Notes groceries _23…
            """)
    static let key = "denyRequesters"

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: ManagedShareOptions
    @OptionGroup var users: RequesterArguments
}

/// `zonda share requests block`.
struct ShareRequestsBlock: ShareRequestsAnswer {
    static let configuration = CommandConfiguration(
        commandName: "block",
        abstract: "Remove users from a share, and refuse their requests for access.",
        discussion: """
            To blocked users, the link of the share is unknown.

            EXAMPLE
              zonda share requests block --zone Notes groceries _23…
            """)
    static let key = "blockRequesters"

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: ManagedShareOptions
    @OptionGroup var users: RequesterArguments
}

/// `zonda share requests unblock`.
struct ShareRequestsUnblock: ShareRequestsAnswer {
    static let configuration = CommandConfiguration(
        commandName: "unblock",
        abstract: "Allow blocked users to request access again.",
        discussion: """
            Inviting a blocked user also ends the block.

            EXAMPLE
              zonda share requests unblock --zone Notes groceries _23…
            """)
    static let key = "unblockIdentities"

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: ManagedShareOptions
    @OptionGroup var users: RequesterArguments
}
