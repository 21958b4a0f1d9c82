import AMQPClient
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport

/// A user who sends the same requests over AMQP or over HTTP.
struct SharingUser: Sendable {
    /// How requests reach the services.
    enum Transport: String, CaseIterable, Sendable {
        case amqp, http
    }

    /// An answer over either transport.
    struct Answer: Sendable {
        /// The HTTP status.
        let status: Int
        /// The web-services JSON.
        let body: JSONValue
    }

    /// The record name of the user; empty if none is signed in.
    let name: String
    /// The verified email address of the user.
    let email: String
    /// The client that sends the requests over AMQP.
    let broker: TestClient
    /// The client that sends the requests over HTTP; nil if they are sent over AMQP.
    let web: GatewayClient?

    private init(_ broker: TestClient, _ web: GatewayClient?, email: String = "") {
        (self.broker, self.web, self.email) = (broker, web, email)
        name = web?.userName ?? broker.headers.string(Header.user) ?? ""
    }

    /// Returns a new user with a verified email address.
    static func new(_ transport: Transport, on stack: ServiceStack) async throws -> SharingUser {
        let email = "\(UUID().uuidString.lowercased())@example.org"
        let web = transport == .http ? try await GatewayClient.user(stack, email: email) : nil
        var broker = stack.client().with(Header.identity, .string(email))
        if let web { broker = broker.with(Header.user, .string(web.userName)) }
        return SharingUser(broker, web, email: email)
    }

    /// Returns a caller who has not signed in.
    static func nobody(_ transport: Transport, on stack: ServiceStack) async throws -> SharingUser {
        let web = transport == .http ? try await GatewayClient.world(stack) : nil
        return SharingUser(stack.client().with(Header.user, nil), web)
    }

    /// Returns a caller with a server-to-server key.
    static func key(on stack: ServiceStack) async throws -> SharingUser {
        SharingUser(stack.client(), try await .key(stack))
    }

    /// Returns the same user, whose requests are sent over AMQP.
    var overAMQP: SharingUser { SharingUser(broker, nil, email: email) }

    /// Sends a request. Operations without an endpoint are sent over AMQP.
    ///
    /// - Throws: an error if there is no answer, or if it is not JSON.
    func ask(
        _ operation: ServiceMessages.Operation, in database: String, _ body: JSONValue = [:],
        messageID: String = TestClient.newMessageID()
    ) async throws -> Answer {
        if let web, operation.hasEndpoint {
            let path = web.path(operation.rawValue.replacing(".", with: "/"), in: database)
            let response = try await web.send("POST", path, body.encoded(), headers: ["Idempotency-Key": messageID])
            return Answer(status: response.status, body: try JSONValue(parsing: response.body))
        }
        let client = broker.with(Header.database, .string(database))
        let reply = try await client.ask(operation, body, messageID: messageID)
        return Answer(status: reply.status, body: reply.body)
    }
}
