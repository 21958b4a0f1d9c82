package import AMQPClient
internal import Foundation
internal import ServiceMessages

/// The limit of RabbitMQ alone: requests are published, consumed and answered, and nothing else is done.
///
/// The requests are published through the default exchange to a queue with the same arguments as a service's. Another
/// process answers them, so that there are as many processes as with a service.
package struct BrokerLimit: Sendable {
    /// The time limit of one request. It is far longer than any request takes in a working broker.
    private static let requestLimit: Duration = .seconds(30)

    private let producers: Producers
    /// The number of bytes in a request's body.
    private let bodyBytes: Int

    /// Creates a measurement over `producers` connections, each with `inFlight` requests of `bodyBytes` in progress.
    package init(configuration: AMQPConfiguration, producers: Int, inFlight: Int, bodyBytes: Int) {
        self.producers = Producers(configuration: configuration, count: producers, inFlight: inFlight)
        self.bodyBytes = bodyBytes
    }

    /// Sends requests for `duration`, each as soon as another one has been answered.
    ///
    /// - Parameter queue: the queue for the requests, which another process must answer.
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
