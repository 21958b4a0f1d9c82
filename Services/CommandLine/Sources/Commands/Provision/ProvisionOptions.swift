import AMQPClient
import ArgumentParser
import CloudKitWire
import CommandLineSession
import Foundation
import PostgresClient
import ServiceMessages

/// The options that are common to several subcommands.
struct ProvisionOptions: ParsableArguments {
    @Option(help: "The deployment's name. The names of its users and roles begin with it.")
    var name = "zonda"

    func validate() throws {
        let isGood = name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") }
        guard isGood, (1...40).contains(name.utf8.count) else {
            throw ValidationError("--name must consist of 1 to 40 lower-case letters, digits or _")
        }
    }
}
