import AMQPClient
import CloudKitWire
import Foundation
import GatewayTestSupport
import ServiceMessages
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// The request that a service receives, and the processing of its answer.
@Suite(.timeLimit(.minutes(5))) struct ForwardingTests {
    @Test func aRequestBecomesAMessage() async throws {
        try await GatewayFront.with { front in
            let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            let body = Array(#"{"operations":[],"x":null}"#.utf8)
            let reply = try await front.ask(
                "POST", GatewayFront.modify + "?ckAPIToken=secret&clientId=tab%201",
                ["traceparent": trace, "Idempotency-Key": "key-1", "zonda-user": "_forged", "zonda-deadline": "1"],
                body: body)
            let message = try #require(front.services.asked.first)
            #expect(message.exchange == "zonda.requests")
            #expect(message.routingKey == "records.modify")
            #expect(message.body == body)
            #expect(message.properties.messageID == "key-1")
            #expect(message.properties.userID == "gateway")
            #expect(message.properties.contentType == "application/json")
            #expect(message.properties.isPersistent)
            let headers = message.properties.headers
            #expect(headers.int64(Header.version) == 1)
            #expect(headers.string(Header.container) == "com.example")
            #expect(headers.string(Header.environment) == "development")
            #expect(headers.string(Header.database) == "private")
            #expect(headers.string(Header.user) == GatewayFront.user)
            #expect(headers.string(Header.client) == "tab 1")
            #expect(headers.string(Header.interface) == "web")
            #expect(headers.string(Header.requestID) == reply.headers["x-apple-request-uuid"])
            #expect(headers.string(Header.trace) == trace)
            let wait = try #require(headers.int64(Header.deadline)) - Int64(Date().timeIntervalSince1970 * 1000)
            #expect((15_000...25_000).contains(wait))
        }
    }

    @Test func onlyLinksOfSharesAreSentWithTheAddressOfTheAccount() async throws {
        try await GatewayFront.with { front in
            let forged = ["zonda-identity": "eve@example.org"]
            for name in ["resolve", "accept"] {
                let target = GatewayFront.modify.replacing("private/records/modify", with: "public/records/\(name)")
                _ = try await front.ask("POST", target, forged)
            }
            _ = try await front.ask("POST", GatewayFront.modify, forged)
            let asked = front.services.asked
            #expect(asked.map(\.routingKey) == ["records.resolve", "records.accept", "records.modify"])
            #expect(
                asked.map { $0.properties.headers.string(Header.identity) } == [
                    "ada@example.org", "ada@example.org", nil,
                ])
        }
    }

    @Test func withoutAKeyEachRequestHasANewID() async throws {
        try await GatewayFront.with { front in
            for _ in 0..<2 { _ = try await front.ask("POST", GatewayFront.modify) }
            let ids = front.services.asked.compactMap(\.properties.messageID)
            #expect(Set(ids).count == 2)
            #expect(front.services.asked.allSatisfy { $0.body == Array("{}".utf8) })
        }
    }

    @Test(arguments: [
        ["Idempotency-Key": ""], ["Idempotency-Key": String(repeating: "a", count: 256)],
    ])
    func aKeyThatCannotBeForwardedIsRefused(headers: [String: String]) async throws {
        try await GatewayFront.with { front in
            let reply = try await front.ask("POST", GatewayFront.modify, headers)
            #expect(reply.status == 400)
            #expect(try JSONValue(parsing: reply.body)["field"]?.string == "Idempotency-Key")
            #expect(front.services.asked.isEmpty)
        }
    }

    @Test(arguments: ["a%00b", "a%0Ab", String(repeating: "a", count: 256)])
    func aClientIDThatCannotBeForwardedIsRefused(text: String) async throws {
        try await GatewayFront.with { front in
            let reply = try await front.ask("POST", GatewayFront.modify + "?clientId=" + text)
            #expect(reply.status == 400)
        }
    }

    @Test func statusAndBytesOfTheAnswerPassThrough() async throws {
        try await GatewayFront.with { front in
            front.services.answer.withLock {
                $0 = { _ in (503, #"{"serverErrorCode":"TRY_AGAIN_LATER","retryAfter":7}"#) }
            }
            let reply = try await front.ask("POST", GatewayFront.modify)
            #expect(reply.status == 503)
            #expect(reply.headers["retry-after"] == "7")
            #expect(reply.text == #"{"serverErrorCode":"TRY_AGAIN_LATER","retryAfter":7}"#)
        }
    }

    @Test(arguments: [(200, ""), (200, "x"), (200, "[]"), (99, "{}"), (1000, "{}"), (200, #"{"a":"#)])
    func anInvalidReplyIsAnInternalError(status: Int64, body: String) async throws {
        try await GatewayFront.with { front in
            front.services.answer.withLock { $0 = { _ in (status, body) } }
            let reply = try await front.ask("POST", GatewayFront.modify)
            #expect(reply.status == 500)
            #expect(try JSONValue(parsing: reply.body)["serverErrorCode"]?.string == "INTERNAL_ERROR")
        }
    }

    @Test(arguments: [AMQPError.Code.timedOut, .returned, .nacked, .connectionLost, .channelClosed, .closed])
    func anUnavailableServiceIsAnsweredWithTryAgainLater(code: AMQPError.Code) async throws {
        try await GatewayFront.with { front in
            front.services.answer.withLock { $0 = { _ in throw AMQPError(code, "secret") } }
            let reply = try await front.ask("POST", GatewayFront.modify)
            #expect(reply.status == 503)
            #expect(reply.headers["retry-after"] == "2")
            let error = try JSONValue(parsing: reply.body)
            #expect(error["serverErrorCode"]?.string == "TRY_AGAIN_LATER")
            #expect(error["retryAfter"]?.int == 2)
            #expect(!reply.text.contains("secret"))
        }
    }

    @Test func tokensAreForwardedToTheSubscriptionService() async throws {
        try await GatewayFront.with { front in
            let reply = try await front.ask("POST", "/device/1/com.example/production/tokens/create")
            #expect(reply.status == 200)
            #expect(front.services.asked.first?.routingKey == "tokens.create")
            #expect(front.services.asked.first?.properties.headers.string(Header.environment) == "production")
        }
    }

    @Test func theZonesSyncTokenIsAddedOnRequest() async throws {
        try await GatewayFront.with { front in
            front.services.answer.withLock {
                $0 = { message in
                    message.routingKey == "zones.lookup"
                        ? (200, #"{"zones":[{"zoneID":{"zoneName":"Drafts"},"syncToken":"AQ=="}]}"#)
                        : (200, #"{"records":[]}"#)
                }
            }
            let path = GatewayFront.modify + "?getCurrentSyncToken=true"
            let body = Array(#"{"zoneID":{"zoneName":"Drafts"},"operations":[]}"#.utf8)
            let reply = try await front.ask("POST", path, body: body)
            #expect(reply.text == #"{"syncToken":"AQ==","records":[]}"#)
            #expect(front.services.asked.map(\.routingKey) == ["zones.lookup", "records.modify"])
            #expect(front.services.asked.first?.body == Array(#"{"zones":[{"zoneName":"Drafts"}]}"#.utf8))
            // The default zone counts no changes.
            #expect(try await front.ask("POST", path).text == #"{"records":[]}"#)
            #expect(try await front.ask("POST", GatewayFront.modify, body: body).text == #"{"records":[]}"#)
        }
    }
}
