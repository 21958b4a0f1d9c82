package import AMQPClient
import CloudKitModel
package import CommandLineSession
import Foundation
import Logging
import ServiceMessages

/// A real broker with the exchange of notifications, and a private database of a container of the test's own. The names
/// are those that services use.
package struct WatchedBroker: Sendable {
    package static let url = ProcessInfo.processInfo.environment["ZONDA_TEST_AMQP_URL"]

    package let configuration: AMQPConfiguration
    package let database: WatchedDatabase

    /// Declares the exchange.
    package init() async throws {
        configuration = try AMQPConfiguration(url: Self.url ?? "")
        database = try WatchedDatabase(
            RequestScope(
                container: "iCloud.test.\(UUID().uuidString)", environment: .development, database: .private,
                user: "_u"))
        try await AMQPChannelSession.with(configuration) { session in
            try await session.declare(
                AMQPTopology(exchanges: [AMQPExchange(name: Exchange.notifications, kind: .topic)]))
        }
    }

    /// Lends a connected publisher.
    package func withPublisher<Result: Sendable>(_ body: (AMQPPublisher) async throws -> Result) async throws -> Result
    {
        let publisher = AMQPPublisher(
            configuration: configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await publisher.run() }
            defer { group.cancelAll() }
            try await publisher.waitUntilConnected(timeout: .seconds(20))
            return try await body(publisher)
        }
    }
}
