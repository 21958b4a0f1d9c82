internal import AMQPClient
internal import ArgumentParser
internal import CloudKitWire
internal import Foundation
internal import Logging
internal import ServiceMessages

/// `zonda-limits sizes`.
struct SizesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sizes",
        abstract: "Print the sizes of a request of `zonda load records` and of the service's answer.",
        discussion: """
            Sends one such request to the service. Prints {"requestBytes", "replyBytes"}.
            """)

    @Option(help: "The number of records in the request.")
    var operations = 1

    @Option(help: "The size of one record's operation, in bytes.")
    var size = 500

    @Option(help: "An existing zone.")
    var zone = "load-0"

    func run() async throws {
        let shape = LoadShape(operations: operations, sizeBytes: size)
        // The names are as long as those of a load.
        let body = shape.body(zone: zone, namePrefix: "r1000000.100")
        let reply = try await ServiceAnswer.to(.recordsModify, body: body)
        printLine(["requestBytes": .int(Int64(body.count)), "replyBytes": .int(Int64(reply.count))])
    }
}
