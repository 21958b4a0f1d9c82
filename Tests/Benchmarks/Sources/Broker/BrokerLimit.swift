package import AMQPClient
internal import Foundation
internal import Logging
internal import ServiceMessages

/// What RabbitMQ alone reaches: requests published, consumed and answered, and nothing else done.
///
/// The requests go to a queue with the arguments of `record.writes`, by way of the default exchange, and another
/// process answers them, so that there are as many processes as with a service.
package struct BrokerLimit: Sendable {
    /// How long one request may take. Far longer than any takes: a broker that lets one wait so long is not well.
    private static let requestLimit: Duration = .seconds(30)
    private static let connectLimit: Duration = .seconds(10)

    private let configuration: AMQPConfiguration
    /// Connections.
    private let producers: Int
    /// Requests under way per connection.
    private let inFlight: Int
    /// Bytes of a request's body.
    private let bodyBytes: Int

    /// A measurement over `producers` connections, each with `inFlight` requests of `bodyBytes` under way.
    package init(configuration: AMQPConfiguration, producers: Int, inFlight: Int, bodyBytes: Int) {
        self.configuration = configuration
        self.producers = producers
        self.inFlight = inFlight
        self.bodyBytes = bodyBytes
    }

    /// Asks for `duration`, as fast as answers come.
    ///
    /// - Parameter queue: where the requests go; somebody answers them.
    /// - Throws: the first failure of a request. One is enough: a limit with failures is none.
    package func run(queue: String, duration: Duration) async throws -> Throughput {
        let clients = (0..<producers).map { _ in
            AMQPRPCClient(configuration: configuration, maxInFlight: inFlight, logger: .limits)
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { try await client.run() } }
            defer { group.cancelAll() }
            for client in clients { try await client.waitUntilConnected(timeout: Self.connectLimit) }
            return try await ask(clients, queue: queue, duration: duration)
        }
    }

    private func ask(_ clients: [AMQPRPCClient], queue: String, duration: Duration) async throws -> Throughput {
        let clock = ContinuousClock()
        let start = clock.now
        let ids = MessageIDs()
        let headers = LoadShape.headers()
        let body = [UInt8](repeating: UInt8(ascii: "a"), count: bodyBytes)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for slot in 0..<(producers * inFlight) {
                let client = clients[slot / inFlight]
                group.addTask {
                    var number = 0
                    while clock.now < start + duration {
                        let message = LoadShape.message(
                            exchange: "", routingKey: queue, headers: headers,
                            messageID: ids.id(slot: slot, number: number), limit: Self.requestLimit, body: body)
                        _ = try await client.call(message, timeout: Self.requestLimit)
                        number += 1
                    }
                    return number
                }
            }
            return try await group.reduce(0, +)
        }
        return Throughput(count: count, elapsed: start.duration(to: clock.now))
    }
}

extension Logger {
    /// Silent unless something is wrong: it would be measured too.
    static var limits: Logger {
        var logger = Logger(label: "zonda.limits") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        return logger
    }
}
