import AMQPClient
import ArgumentParser
import CloudKitWire
import CommandLineSession
import Foundation
import PostgresClient
import ServiceMessages

/// How long notifications can be read again.
struct RetentionOptions: ParsableArguments {
    @Option(help: "How long the log keeps notifications: a number and Y, M, D, h, m or s.")
    var notificationsAge = BrokerPolicy.Retention().maxAge

    @Option(help: "How many bytes of notifications the log keeps.")
    var notificationsBytes = BrokerPolicy.Retention().maxBytes

    /// As the broker is told.
    var retention: BrokerPolicy.Retention {
        var retention = BrokerPolicy.Retention()
        (retention.maxAge, retention.maxBytes) = (notificationsAge, notificationsBytes)
        return retention
    }

    func validate() throws {
        guard retention.isSound else {
            throw ValidationError("--notifications-age is as 24h or 7D, --notifications-bytes above 0")
        }
    }
}
