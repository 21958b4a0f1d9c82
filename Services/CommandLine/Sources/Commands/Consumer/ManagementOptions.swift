import AMQPClient
import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import Foundation
import ServiceMessages

/// The address of RabbitMQ's management HTTP API.
struct ManagementOptions: ParsableArguments {
    @Option(
        help: """
            The URL of RabbitMQ's management API, http://HOST:PORT. Credentials in it are used instead of those in the \
            broker's URL. Default: $ZONDA_RABBITMQ_MANAGEMENT_URL.
            """)
    var managementURL: String?

    /// Returns the URL.
    ///
    /// - Throws: a `ValidationError` if neither the option nor the environment variable specifies it.
    func url() throws -> String {
        guard let url = managementURL ?? GlobalOptions.variable("ZONDA_RABBITMQ_MANAGEMENT_URL") else {
            throw ValidationError(
                "The URL of RabbitMQ's management API is missing: specify --management-url or set "
                    + "ZONDA_RABBITMQ_MANAGEMENT_URL")
        }
        return url
    }
}
