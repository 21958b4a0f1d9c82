import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// The argument that names an account.
struct EmailArgument: ParsableArguments {
    @Argument(help: "The e-mail address; case is ignored.")
    var email: String

    /// As a member of a request.
    var member: (String, JSONValue?) { ("email", .string(email)) }
}
