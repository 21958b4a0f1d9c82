import AMQPClient
import ArgumentParser
import CloudKitWire
import CommandLineSession
import Foundation
import PostgresClient
import ServiceMessages

/// The limits of the notification log.
struct RetentionOptions: ParsableArguments {
    @Option(help: "The maximum age of notifications in the log: a number followed by Y, M, D, h, m or s.")
    var notificationsAge = BrokerPolicy.Retention().maxAge

    @Option(help: "The maximum size of the notification log, in bytes.")
    var notificationsBytes = BrokerPolicy.Retention().maxBytes

    /// The limits for the broker's policy.
    var retention: BrokerPolicy.Retention {
        var retention = BrokerPolicy.Retention()
        (retention.maxAge, retention.maxBytes) = (notificationsAge, notificationsBytes)
        return retention
    }

    func validate() throws {
        guard retention.isSound else {
            throw ValidationError(
                "--notifications-age must have the form 24h or 7D, and --notifications-bytes must be greater than 0")
        }
    }
}
