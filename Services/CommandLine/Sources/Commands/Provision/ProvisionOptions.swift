import AMQPClient
import ArgumentParser
import CloudKitWire
import CommandLineSession
import Foundation
import PostgresClient
import ServiceMessages

/// What the subcommands have in common.
struct ProvisionOptions: ParsableArguments {
    @Option(help: "The deployment's name: users and roles begin with it.")
    var name = "zonda"

    func validate() throws {
        let isGood = name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") }
        guard isGood, (1...40).contains(name.utf8.count) else {
            throw ValidationError("--name has lower-case letters, digits and _, at most 40 of them")
        }
    }
}
