import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda user …`: an operator's commands.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Make, list and delete the accounts of people who sign in.",
        discussion: """
            An account belongs to the deployment; each container knows it by a user record name of its own, which is made \
            when it is first wanted.
            """,
        subcommands: [
            Create.self, List.self, Token.self, SignIns.self, Password.self, SignOut.self, Delete.self,
        ])

    /// The account that a command is about.
    struct Email: ParsableArguments {
        @Argument(help: "The e-mail address; upper and lower case are the same.")
        var email: String

        /// As a member of a request.
        var member: (String, JSONValue?) { ("email", .string(email)) }
    }
}

extension UserCommand {
    /// `zonda user create`.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an account, and its name in the container if one is named.",
            discussion: """
                Without a password nobody signs in to it at the sign-in page; zonda user token and zonda user password \
                help.

                EXAMPLES
                  zonda user create ada@example.org --given-name Ada --password-stdin < password
                  zonda user create ada@example.org --user-record-name $ZONDA_USER
                """)

        @OptionGroup var global: GlobalOptions
        @OptionGroup var email: Email
        @OptionGroup var password: PasswordOptions

        @Option(help: "The given name.")
        var givenName: String?

        @Option(help: "The family name.")
        var familyName: String?

        @Flag(help: "Others find the account by its e-mail address, and see its name.")
        var discoverable = false

        @Option(
            help: """
                What the container knows the account by, '_' and 32 hexadecimal digits: the data saved by that user are \
                the account's. Default: a new name.
                """)
        var userRecordName: String?

        func validate() throws {
            guard userRecordName == nil || container != nil else {
                throw ValidationError("In which container? Give --container or set ZONDA_CONTAINER")
            }
        }

        func run() async throws {
            let body = try body()
            try await global.withSession(isScoped: false) { session in
                let answer = try await session.ask(.usersCreate, body, limit: GlobalOptions.requestLimit)
                _ = global.show(answer, line: AccountLine.user)
            }
        }

        /// The request.
        ///
        /// - Throws: a `ValidationError` when the password cannot be read.
        func body() throws -> JSONValue {
            .object(having: [
                email.member, ("givenName", givenName.map { .string($0) }),
                ("familyName", familyName.map { .string($0) }), ("discoverable", discoverable ? true : nil),
                ("container", container.map { .string($0) }), ("userRecordName", userRecordName.map { .string($0) }),
                ("password", try password.password().map { .string($0) }),
            ])
        }

        private var container: String? { global.container ?? GlobalOptions.variable("ZONDA_CONTAINER") }
    }

    /// `zonda user list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the accounts, with the names by which containers know them.",
            discussion: """
                EXAMPLE
                  zonda user list --json
                """)

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            try await global.withSession(isScoped: false) { session in
                try await session.pages(.usersList, "users") { _ = global.show($0, line: AccountLine.user) }
            }
        }
    }

    /// `zonda user token`.
    struct Token: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sign an account in to the container without its password, and print the web auth token.",
            discussion: """
                For scripts and tests. The token is good for 30 minutes, or 14 days with --stay-signed-in; answers of the \
                gateway bring fresh ones. zonda user sign-out ends it.

                EXAMPLE
                  curl "$ZONDA_URL/database/1/$ZONDA_CONTAINER/development/private/zones/list?ckAPIToken=$ZONDA_API_TOKEN&\
                ckWebAuthToken=$(zonda user token ada@example.org)"
                """)

        @OptionGroup var global: GlobalOptions
        @OptionGroup var email: Email

        @Flag(help: "The token is good for 14 days.")
        var staySignedIn = false

        func run() async throws {
            let place = try global.scope().place
            let body = JSONValue.object(
                having: [email.member] + place + [("staysSignedIn", staySignedIn ? true : nil)])
            try await global.withSession(isScoped: false) { session in
                let answer = try await session.ask(.usersToken, body, limit: GlobalOptions.requestLimit)
                _ = global.show(answer) { $0["webAuthToken"]?.string ?? "" }
            }
        }
    }

    /// `zonda user sign-ins`.
    struct SignIns: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-ins",
            abstract:
                "List the sign-ins of an account: when each was made and last used, from where, for which application.",
            discussion: """
                The last use is known to within five minutes. zonda user sign-out ends all of them.

                EXAMPLE
                  zonda user sign-ins ada@example.org
                """)

        @OptionGroup var global: GlobalOptions
        @OptionGroup var email: Email

        func run() async throws {
            try await global.withSession(isScoped: false) { session in
                let answer = try await session.ask(
                    .usersSignIns, .object(having: [email.member]), limit: GlobalOptions.requestLimit)
                for signIn in answer["signIns"]?.array ?? [] { _ = global.show(signIn, line: AccountLine.signIn) }
            }
        }
    }

    /// `zonda user password`.
    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change an account's password, or take it away.",
            discussion: """
                All sign-ins of the account end with the old password, in all containers, unless --keep-sign-ins is given.

                EXAMPLES
                  zonda user password ada@example.org --password-stdin
                  zonda user password ada@example.org --remove
                """)

        @OptionGroup var global: GlobalOptions
        @OptionGroup var email: Email
        @OptionGroup var password: PasswordOptions

        @Flag(help: "Remove the password: the account cannot sign in with one any more.")
        var remove = false

        @Flag(help: "Keep the sign-ins of the account.")
        var keepSignIns = false

        func validate() throws {
            guard password.isGiven != remove else {
                throw ValidationError("Give --password-stdin, --password-file or --remove")
            }
        }

        func run() async throws {
            let body = JSONValue.object(having: [
                email.member, ("password", try password.password().map { .string($0) }),
                ("keepsSignIns", keepSignIns ? true : nil),
            ])
            try await global.withSession(isScoped: false) { session in
                let answer = try await session.ask(.usersPassword, body, limit: GlobalOptions.requestLimit)
                _ = global.show(answer) {
                    "\($0["email"]?.string ?? "")  password \($0["hasPassword"]?.bool == true ? "changed" : "removed"), "
                        + "sign-ins ended: \($0["sessions"]?.int ?? 0)"
                }
            }
        }
    }

    /// `zonda user sign-out`.
    struct SignOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End all sign-ins of an account, in all containers.",
            discussion: """
                Its web auth tokens are refused within five seconds, and the clients that it registered for notifications \
                are forgotten.

                EXAMPLE
                  zonda user sign-out ada@example.org
                """)

        @OptionGroup var global: GlobalOptions
        @OptionGroup var email: Email

        func run() async throws {
            try await global.withSession(isScoped: false) { session in
                let answer = try await session.ask(
                    .usersSignOut, .object(having: [email.member]), limit: GlobalOptions.requestLimit)
                _ = global.show(answer) {
                    "\($0["email"]?.string ?? "")  sign-ins ended: \($0["sessions"]?.int ?? 0)"
                }
            }
        }
    }

    /// `zonda user delete`.
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an account with its sign-ins, subscriptions, clients, and names in containers.",
            discussion: """
                What it saved stays in its databases, under the user record names that it had.

                EXAMPLE
                  zonda user delete ada@example.org --yes
                """)

        @OptionGroup var global: GlobalOptions
        @OptionGroup var email: Email

        @Flag(help: "Do not ask.")
        var yes = false

        func run() async throws {
            if !yes { try await Confirmation.ask("Delete the account \(email.email)?") }
            try await global.withSession(isScoped: false) { session in
                let answer = try await session.ask(
                    .usersDelete, .object(having: [email.member]), limit: GlobalOptions.requestLimit)
                _ = global.show(answer) {
                    "\($0["email"]?.string ?? "")  \($0["deleted"]?.bool == true ? "deleted" : "was not there")"
                }
            }
        }
    }
}
