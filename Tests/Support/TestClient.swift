package import AMQPClient
package import CloudKitWire
import Foundation
package import ServiceMessages

/// Asks services as a producer does: one user of one database, over the broker.
package struct TestClient: Sendable {
    /// Answers; shared by the clients of a suite.
    package let rpc: AMQPRPCClient
    /// The headers of each request.
    package var headers: AMQPTable

    /// A client that asks for a new user, in the private database of the container's development environment.
    package init(rpc: AMQPRPCClient, container: String, user: String = TestClient.newUser()) {
        self.rpc = rpc
        headers = [
            Header.version: 1, Header.container: .string(container), Header.environment: "development",
            Header.database: "private", Header.user: .string(user),
        ]
    }

    /// A new user.
    package static func newUser() -> String {
        "_" + UUID().uuidString.lowercased().filter { $0 != "-" }
    }

    /// A message id that no other message has.
    package static func newMessageID() -> String { UUID().uuidString }

    /// The acting user.
    package var user: String { headers.string(Header.user) ?? RequestContext.world }
    /// The container.
    package var container: String { headers.string(Header.container) ?? "" }

    /// The same client with one header changed, or removed by nil.
    package func with(_ header: String, _ value: AMQPValue?) -> TestClient {
        var client = self
        client.headers[header] = value
        return client
    }

    /// The message of a request.
    package func message(
        _ operation: ServiceMessages.Operation, _ body: [UInt8], messageID: String? = TestClient.newMessageID()
    ) -> AMQPMessage {
        AMQPMessage(
            exchange: operation.exchange, routingKey: operation.rawValue,
            properties: AMQPProperties(messageID: messageID, contentType: "application/json", headers: headers),
            body: body)
    }

    /// Asks and waits for the answer.
    ///
    /// - Throws: `AMQPError` when there is none, ``TestFailure`` when it is not JSON.
    package func ask(
        _ operation: ServiceMessages.Operation, _ body: JSONValue = [:], messageID: String? = TestClient.newMessageID(),
        within limit: Duration = .seconds(20)
    ) async throws -> TestReply {
        try await ask(message(operation, body.encoded(), messageID: messageID), within: limit)
    }

    /// Asks with a message of any form.
    ///
    /// - Throws: as ``ask(_:_:messageID:within:)``.
    package func ask(_ message: AMQPMessage, within limit: Duration = .seconds(20)) async throws -> TestReply {
        try TestReply(try await rpc.call(message, timeout: limit))
    }
}

/// An answer.
package struct TestReply: Sendable, Equatable {
    /// The HTTP status.
    package let status: Int
    /// The web-services JSON.
    package let body: JSONValue

    /// Reads a reply.
    ///
    /// - Throws: ``TestFailure`` when it has no status or is not JSON.
    package init(_ delivery: AMQPDelivery) throws {
        guard let status = delivery.properties.headers.int64(Header.status) else {
            throw TestFailure("the reply has no \(Header.status)")
        }
        self.status = Int(status)
        do {
            body = try JSONValue(parsing: delivery.body)
        } catch {
            throw TestFailure("the reply is not JSON: \(String(decoding: delivery.body.prefix(200), as: UTF8.self))")
        }
    }

    /// The value of a key of the answer.
    package subscript(key: String) -> JSONValue? { body[key] }
}
