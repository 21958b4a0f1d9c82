import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// The account that a command is about.
struct EmailArgument: ParsableArguments {
    @Argument(help: "The e-mail address; upper and lower case are the same.")
    var email: String

    /// As a member of a request.
    var member: (String, JSONValue?) { ("email", .string(email)) }
}
