import ArgumentParser
import CommandLineSession

/// The argument that specifies an account.
struct EmailArgument: ParsableArguments {
    @Argument(help: "The account's email address; case is ignored.")
    var email: String
}
