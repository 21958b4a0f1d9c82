import AMQPClient
import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import Foundation
import ServiceMessages

/// How to reach what makes users of the broker.
struct ManagementOptions: ParsableArguments {
    @Option(
        help: """
            RabbitMQ's management, http://HOST:PORT, to be used as the user of the broker's address unless it names \
            another. Default: $ZONDA_RABBITMQ_MANAGEMENT_URL.
            """)
    var managementURL: String?

    /// Where it is.
    ///
    /// - Throws: a `ValidationError` when nobody says.
    func url() throws -> String {
        guard let url = managementURL ?? GlobalOptions.variable("ZONDA_RABBITMQ_MANAGEMENT_URL") else {
            throw ValidationError(
                "Where is RabbitMQ's management? Give --management-url or set ZONDA_RABBITMQ_MANAGEMENT_URL")
        }
        return url
    }
}
