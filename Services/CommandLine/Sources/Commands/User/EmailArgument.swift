import ArgumentParser
import CommandLineSession

/// The argument that specifies an account.
struct EmailArgument: ParsableArguments {
    @Argument(help: "The account's e-mail address; case is ignored.")
    var email: String
}
