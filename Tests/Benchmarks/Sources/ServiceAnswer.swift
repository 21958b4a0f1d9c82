internal import AMQPClient
internal import Foundation
internal import ServiceMessages

/// Requests to the running service that `.zonda/env` names.
struct ServiceAnswer: Sendable {
    private static let limit: Duration = .seconds(10)

    private let headers: AMQPTable
    private let ids = MessageIDs()

    /// Creates requests of `user` in `database` by `client`. By default, user and database are those in `.zonda/env`.
    init(user: String? = nil, database: String? = nil, client: String? = nil) {
        var headers = LoadShape.headers()
        if let user { headers[Header.user] = .string(user) }
        if let database { headers[Header.database] = .string(database) }
        if let client { headers[Header.client] = .string(client) }
        self.headers = headers
    }

    /// Sends one request over a separate connection, and returns the body of the service's answer.
    ///
    /// - Throws: ``LimitFailure`` with the answer if the service refuses the request, `AMQPError` if there is no
    ///   answer.
    static func to(_ operation: ServiceMessages.Operation, body: [UInt8]) async throws -> [UInt8] {
        let producer = Producers(configuration: try LimitEnvironment.broker(), count: 1, inFlight: 1)
        let requests = ServiceAnswer()
        return try await producer.run { client, place in
            try await requests.answer(to: operation, body: body, over: client, slot: place, number: 0)
        }.results[0]
    }

    /// Does the same over `client`, for request `number` of the slot `slot`.
    func answer(
        to operation: ServiceMessages.Operation, body: [UInt8], over client: AMQPRPCClient, slot: Int, number: Int
    ) async throws -> [UInt8] {
        let message = LoadShape.message(
            exchange: operation.exchange, routingKey: operation.rawValue, headers: headers,
            messageID: ids.id(slot: slot, number: number), limit: Self.limit, body: body)
        let reply = try await client.call(message, timeout: Self.limit)
        guard reply.properties.headers.int64(Header.status) == 200 else {
            throw LimitFailure("the service refused the request: \(String(decoding: reply.body, as: UTF8.self))")
        }
        return reply.body
    }
}
