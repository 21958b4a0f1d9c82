package import AMQPClient
package import CloudKitWire
import Foundation
package import ServiceMessages

/// A client that sends requests over the broker, as a producer does, for one user of one database.
package struct TestClient: Sendable {
    /// Sends the requests and receives the answers. All clients of a suite share it.
    package let rpc: AMQPRPCClient
    /// The headers of each request.
    package var headers: AMQPTable

    /// Creates a client for a user, by default a new one, in the private database of the container's development
    /// environment.
    package init(rpc: AMQPRPCClient, container: String, user: String = TestClient.newUser()) {
        self.rpc = rpc
        headers = [
            Header.version: 1, Header.container: .string(container), Header.environment: "development",
            Header.database: "private", Header.user: .string(user),
        ]
    }

    /// Returns the name of a new user.
    package static func newUser() -> String {
        "_" + UUID().uuidString.lowercased().filter { $0 != "-" }
    }

    /// Returns a unique message id.
    package static func newMessageID() -> String { UUID().uuidString }

    /// The acting user.
    package var user: String { headers.string(Header.user) ?? RequestContext.world }
    /// The container.
    package var container: String { headers.string(Header.container) ?? "" }

    /// Returns the same client with one header changed, or removed if `value` is nil.
    package func with(_ header: String, _ value: AMQPValue?) -> TestClient {
        var client = self
        client.headers[header] = value
        return client
    }

    /// Returns the message of a request.
    package func message(
        _ operation: ServiceMessages.Operation, _ body: [UInt8], messageID: String? = TestClient.newMessageID()
    ) -> AMQPMessage {
        AMQPMessage(
            exchange: operation.exchange, routingKey: operation.rawValue,
            properties: AMQPProperties(messageID: messageID, contentType: "application/json", headers: headers),
            body: body)
    }

    /// Sends a request and waits for the answer.
    ///
    /// - Throws: `AMQPError` if there is no answer, ``TestFailure`` if it is not JSON.
    package func ask(
        _ operation: ServiceMessages.Operation, _ body: JSONValue = [:], messageID: String? = TestClient.newMessageID(),
        within limit: Duration = .seconds(20)
    ) async throws -> TestReply {
        try await ask(message(operation, body.encoded(), messageID: messageID), within: limit)
    }

    /// Sends a message of any form and waits for the answer.
    ///
    /// - Throws: the errors of ``ask(_:_:messageID:within:)``.
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
    /// - Throws: ``TestFailure`` if it has no status or is not JSON.
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

    /// The value for a key of the answer.
    package subscript(key: String) -> JSONValue? { body[key] }
}
