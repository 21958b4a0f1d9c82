package import AMQPClient
internal import Foundation
internal import ServiceMessages

/// What RabbitMQ alone reaches: requests published, consumed and answered, and nothing else done.
///
/// The requests go to a queue with the arguments of a service's, by way of the default exchange, and another process
/// answers them, so that there are as many processes as with a service.
package struct BrokerLimit: Sendable {
    /// How long one request may take. Far longer than any takes: a broker that lets one wait so long is not well.
    private static let requestLimit: Duration = .seconds(30)

    private let producers: Producers
    /// Bytes of a request's body.
    private let bodyBytes: Int

    /// A measurement over `producers` connections, each with `inFlight` requests of `bodyBytes` under way.
    package init(configuration: AMQPConfiguration, producers: Int, inFlight: Int, bodyBytes: Int) {
        self.producers = Producers(configuration: configuration, count: producers, inFlight: inFlight)
        self.bodyBytes = bodyBytes
    }

    /// Asks for `duration`, as fast as answers come.
    ///
    /// - Parameter queue: where the requests go; somebody answers them.
    /// - Throws: the first failure of a request.
    package func run(queue: String, duration: Duration) async throws -> Throughput {
        let ids = MessageIDs()
        let headers = LoadShape.headers()
        let body = [UInt8](repeating: UInt8(ascii: "a"), count: bodyBytes)
        let (counts, elapsed) = try await producers.run { client, place in
            let end = ContinuousClock.now + duration
            var number = 0
            while ContinuousClock.now < end {
                let message = LoadShape.message(
                    exchange: "", routingKey: queue, headers: headers, messageID: ids.id(slot: place, number: number),
                    limit: Self.requestLimit, body: body)
                _ = try await client.call(message, timeout: Self.requestLimit)
                number += 1
            }
            return number
        }
        return Throughput(count: counts.reduce(0, +), elapsed: elapsed)
    }
}
