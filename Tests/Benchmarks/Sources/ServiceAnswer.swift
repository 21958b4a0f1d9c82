internal import AMQPClient
internal import Foundation
internal import Logging
internal import ServiceMessages

/// One request to a running service, where `.zonda/env` says.
enum ServiceAnswer {
    private static let limit: Duration = .seconds(10)

    /// The body of the service's answer to a request.
    ///
    /// - Throws: ``LimitFailure`` with the answer when the service refuses it, `AMQPError` when there is none.
    static func to(_ operation: ServiceMessages.Operation, body: [UInt8]) async throws -> [UInt8] {
        let message = LoadShape.message(
            exchange: operation.exchange, routingKey: operation.rawValue, headers: LoadShape.headers(),
            messageID: UUID().uuidString.lowercased(), limit: limit, body: body)
        let client = AMQPRPCClient(configuration: try LimitEnvironment.broker(), logger: .limits)
        let reply = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            return try await client.call(message, timeout: limit)
        }
        guard reply.properties.headers.int64(Header.status) == 200 else {
            throw LimitFailure("the service refuses the request: \(String(decoding: reply.body, as: UTF8.self))")
        }
        return reply.body
    }
}
