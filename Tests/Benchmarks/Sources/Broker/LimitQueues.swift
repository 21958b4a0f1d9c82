package import AMQPClient
internal import Foundation
internal import ServiceMessages

/// The queues of a measurement, under names that no other has.
package enum LimitQueues {
    /// A new name.
    static func name() -> String { "limits.\(UUID().uuidString.lowercased())" }

    /// The arguments of the queue of that name, one of the services'.
    ///
    /// - Throws: ``LimitFailure`` when there is no such queue.
    static func arguments(of queue: String) throws -> AMQPTable {
        guard let queue = Topology.all.queues.first(where: { $0.name == queue }) else {
            throw LimitFailure("there is no queue \(queue) to be compared with")
        }
        return expiring(queue.arguments)
    }

    /// These arguments, and an end. A measurement that was killed deletes nothing: the broker does, when nobody has
    /// consumed for a minute.
    static func expiring(_ arguments: AMQPTable) -> AMQPTable {
        var arguments = arguments
        arguments["x-expires"] = 60_000
        return arguments
    }

    /// Lends a new queue with the arguments of `model`, one of the services', and deletes it afterwards.
    ///
    /// - Parameter body: gets the queue's name.
    package static func withQueue<Result: Sendable>(
        like model: String, _ configuration: AMQPConfiguration, _ body: (String) async throws -> Result
    ) async throws -> Result {
        let queue = AMQPQueue(name: name(), arguments: try arguments(of: model))
        return try await with(AMQPTopology(queues: [queue]), configuration) { try await body(queue.name) }
    }

    /// Declares everything in `topology` and deletes its queues afterwards. Exchanges are to go with their last binding.
    package static func with<Result: Sendable>(
        _ topology: AMQPTopology, _ configuration: AMQPConfiguration, _ body: () async throws -> Result
    ) async throws -> Result {
        try await AMQPChannelSession.with(configuration) { session in
            try await session.declare(topology)
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            for queue in topology.queues { _ = try? await session.deleteQueue(queue.name) }
            return try result.get()
        }
    }
}
