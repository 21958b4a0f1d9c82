import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda user create`.
struct UserCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create an account, and its user record name if a container is specified.",
        discussion: """
            An account without a password cannot sign in on the sign-in page. To set a password later, use zonda user \
            password; to sign in without one, use zonda user token.

            EXAMPLES
              zonda user create ada@example.org --given-name Ada --password-stdin < password
              zonda user create ada@example.org --user-record-name $ZONDA_USER
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var email: EmailArgument
    @OptionGroup var password: PasswordOptions

    @Option(help: "The given name.")
    var givenName: String?

    @Option(help: "The family name.")
    var familyName: String?

    @Flag(help: "Let other users find the account by its email address and see its name.")
    var discoverable = false

    @Option(
        help: """
            The account's user record name in the container: '_' followed by 32 hexadecimal digits. The account then \
            owns the data that was saved under this name. Default: a new name.
            """)
    var userRecordName: String?

    func validate() throws {
        guard userRecordName == nil || container != nil else {
            throw ValidationError("--user-record-name requires a container: specify --container or set ZONDA_CONTAINER")
        }
    }

    func run() async throws {
        try await global.show(answerTo: try request(), line: AccountLine.user)
    }

    /// Returns the request.
    ///
    /// - Throws: a `ValidationError` if the password cannot be read.
    func request() throws -> UserCreateRequest {
        UserCreateRequest(
            email: email.email, givenName: givenName, familyName: familyName,
            discoverable: discoverable ? true : nil, container: container, userRecordName: userRecordName,
            password: try password.password())
    }

    private var container: String? { global.container ?? GlobalOptions.variable("ZONDA_CONTAINER") }
}
