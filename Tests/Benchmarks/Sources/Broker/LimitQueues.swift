package import AMQPClient
internal import Foundation
internal import ServiceMessages

/// The queues of a measurement, with unique names.
package enum LimitQueues {
    /// Returns a new name.
    static func name() -> String { "limits.\(UUID().uuidString.lowercased())" }

    /// Returns the arguments of a service's queue.
    ///
    /// - Throws: ``LimitFailure`` if there is no such queue.
    static func arguments(of queue: String) throws -> AMQPTable {
        guard let queue = Topology.all.queues.first(where: { $0.name == queue }) else {
            throw LimitFailure("there is no queue '\(queue)' to compare with")
        }
        return expiring(queue.arguments)
    }

    /// Returns the arguments with an expiry. If a measurement is killed, the broker deletes its queues after a minute
    /// without a consumer.
    static func expiring(_ arguments: AMQPTable) -> AMQPTable {
        var arguments = arguments
        arguments["x-expires"] = 60_000
        return arguments
    }

    /// Declares a new queue with the arguments of `model`, which is a service's queue, and deletes it after `body`.
    ///
    /// - Parameter body: called with the queue's name.
    package static func withQueue<Result: Sendable>(
        like model: String, _ configuration: AMQPConfiguration, _ body: (String) async throws -> Result
    ) async throws -> Result {
        let queue = AMQPQueue(name: name(), arguments: try arguments(of: model))
        return try await with(AMQPTopology(queues: [queue]), configuration) { try await body(queue.name) }
    }

    /// Declares everything in `topology`, and deletes its queues after `body`. The exchanges must be deleted
    /// automatically with their last binding.
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
