import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// Grants and replays with the complete service. The consumer's broker user is that of the tests.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct ConsumerTests {
    @Test func grantsAreKeptListedAndRevoked() async throws {
        try await SubscriptionStack.with { stack in
            try await stack.withService {
                let client = TestClient(rpc: stack.rpc, container: "com.example.tests")
                let grants = ["a", "b", "c"].map { grant($0, user: "user-\($0)", .named(["Notes"])) }
                for grant in grants {
                    let answer = try await client.ask(.consumersGrant, grant.json)
                    #expect(answer["consumer"]?.string == grant.consumer.rawValue)
                    #expect((answer["grantedAt"]?.int ?? 0) > 1_700_000_000_000)
                }
                let changed = grant("b", user: "user-b", .all)
                _ = try await client.ask(.consumersGrant, changed.json)
                let first = try await client.ask(.consumersList, ["limit": 2])
                #expect(try first["consumers"]?.array?.map { try ConsumerGrant($0) } == [grants[0], changed])
                let rest = try await client.ask(.consumersList, ["after": first["after"] ?? .null])
                #expect(try rest["consumers"]?.array?.map { try ConsumerGrant($0) } == [grants[2]])
                #expect(rest["after"] == nil)
                let gone = try await client.ask(.consumersRevoke, ["consumer": "a"])
                #expect(gone["revoked"] == true)
                let again = try await client.ask(.consumersRevoke, ["consumer": "a"])
                #expect(again["revoked"] == false)
                let refused = try await client.ask(.consumersGrant, ["consumer": "x"])
                #expect(refused.status == 400)
            }
        }
    }

    @Test func aReplayHasEverythingGrantedInPagesAndEnds() async throws {
        try await SubscriptionStack.with { stack in
            let user = try stack.vhost.configuration().user
            let (mine, others) = (grant("c", user: user, .named(["Notes"])), grant("d", user: "d", .named(["Drafts"])))
            try await stack.withService {
                let client = TestClient(rpc: stack.rpc, container: "com.example.tests")
                _ = try await client.ask(.consumersGrant, mine.json)
                let nothing = try await stack.replay(["since": "1h"], as: user)
                #expect(nothing["notifications"] == [])
                #expect(nothing["moreComing"] == false)
                for number in 0..<25 {
                    try await stack.publisher.publish(message(number, mine.key(ofZone: "Notes")))
                    try await stack.publisher.publish(message(number, others.key(ofZone: "Drafts")))
                }
                var (numbers, marker): ([Int64], JSONValue?) = ([], nil)
                for _ in 0..<4 {
                    let body: JSONValue = marker.map { ["after": $0, "limit": 10] } ?? ["since": "1h", "limit": 10]
                    let page = try await stack.replay(body, as: user)
                    let found = page["notifications"]?.array ?? []
                    numbers += found.compactMap { $0["n"]?.int }
                    marker = page["after"]
                    if page["moreComing"] == false { break }
                }
                #expect(numbers == Array(0..<25))
                // After the marker, the replay contains exactly the later notifications.
                let end = try #require(marker)
                let none = try await stack.replay(["after": end], as: user)
                #expect(none["notifications"] == [])
                try await stack.publisher.publish(message(25, mine.key(ofZone: "Notes")))
                let one = try await stack.replay(["after": none["after"] ?? .null], as: user)
                #expect(one["notifications"]?.array?.map { $0["n"] } == [25])
                #expect(one["incomplete"] == nil)
                let later = Int64(Date().timeIntervalSince1970 * 1000) + 60_000
                let future = try await stack.replay(["since": .int(later)], as: user)
                #expect(future["notifications"] == [])
            }
        }
    }

    @Test func aConsumerWithoutAVerifiedUserOrAGrantGetsNothing() async throws {
        try await SubscriptionStack.with { stack in
            let user = try stack.vhost.configuration().user
            try await stack.withService {
                let nameless = try await stack.replay(["since": "1h"], as: nil)
                #expect(nameless.body["reasonCode"] == "authentication_required")
                let unknown = try await stack.replay(["since": "1h"], as: user)
                #expect(unknown.body["serverErrorCode"] == "ACCESS_DENIED")
                let client = TestClient(rpc: stack.rpc, container: "com.example.tests")
                _ = try await client.ask(.consumersGrant, grant("c", user: user, .named(["Notes"])).json)
                let other = try await stack.replay(["since": "1h", "zones": ["Drafts"]], as: user)
                #expect(other.body["serverErrorCode"] == "ACCESS_DENIED")
                #expect(other.body["reason"]?.string?.contains("Drafts") == true)
                _ = try await client.ask(.consumersRevoke, ["consumer": "c"])
                let revoked = try await stack.replay(["since": "1h"], as: user)
                #expect(revoked.body["serverErrorCode"] == "ACCESS_DENIED")
                // No caller waits for this request, so it has no effect.
                try await stack.publisher.publish(
                    AMQPMessage(exchange: Exchange.consumers, routingKey: "notifications.replay", body: [0]))
                _ = try await stack.replay(["since": "1h"], as: user)
                let dead = try await AMQPChannelSession.with(try stack.vhost.configuration()) {
                    try await $0.status(ofQueue: Queue.deadLetters)
                }
                #expect(dead?.messageCount == 0)
            }
        }
    }

    private func grant(_ name: String, user: String, _ zones: ConsumerGrant.Zones) -> ConsumerGrant {
        ConsumerGrant(
            consumer: ConsumerName(unchecked: name), brokerUser: user, container: "com.example.tests",
            environment: .development, scope: .private, owner: "_00000000000000000000000000000001", zones: zones)
    }

    private func message(_ number: Int, _ key: String) -> AMQPMessage {
        AMQPMessage(
            exchange: Exchange.notifications, routingKey: key,
            properties: AMQPProperties(messageID: "m\(number)", headers: [Header.version: 1]),
            body: Array(#"{"n":\#(number)}"#.utf8))
    }
}

extension SubscriptionStack {
    /// Requests a page as a broker user.
    fileprivate func replay(_ body: JSONValue, as user: String?) async throws -> TestReply {
        var message = AMQPMessage(
            exchange: Exchange.consumers, routingKey: ServiceMessages.Operation.notificationsReplay.rawValue,
            body: body.encoded())
        message.properties.userID = user
        return try TestReply(try await rpc.call(message, timeout: .seconds(20)))
    }
}
