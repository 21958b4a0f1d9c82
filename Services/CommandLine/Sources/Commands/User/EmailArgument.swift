import ArgumentParser
import CommandLineSession

/// The argument that names an account.
struct EmailArgument: ParsableArguments {
    @Argument(help: "The e-mail address; case is ignored.")
    var email: String
}
