import AMQPClient
import CloudKitWire
import PostgresClient
import ServiceMessages
import ServiceRuntime
import SignedTokens
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// `clients.forget`, which the gateway sends when a sign-in ends or an account is removed.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct ForgetTests {
    private let create: JSONValue = ["apnsEnvironment": "development"]

    private func body(_ token: ClientToken) -> JSONValue {
        ["apnsEnvironment": "development", "apnsToken": .string(token.text)]
    }

    private func isRegistered(_ token: ClientToken, by user: TestClient) async throws -> Bool {
        try await user.ask(.tokensStatus, body(token)).status == 200
    }

    @Test func theClientsOfASessionEndWithItAndNoOthers() async throws {
        try await ClientStack.with { stack in
            let user = stack.client()
            let phone = user.with(Header.session, "phone")
            let (one, other) = (try await stack.make(phone), try await stack.make(user.with(Header.session, "laptop")))
            let unnamed = try await stack.make(user)

            let answer = try await user.ask(.clientsForget, ["sessions": ["phone"]], messageID: nil)
            #expect(answer.status == 200)
            #expect(answer["clients"] == 1)
            #expect(try await stack.queues() == [Queue.client(other.name), Queue.client(unnamed.name)])
            #expect(try await !isRegistered(one, by: user))
            #expect(try await isRegistered(other, by: user))

            // A request that was accepted just before can no longer register a client. Another sign-in can register the
            // token.
            #expect(try await phone.ask(.tokensCreate, create)["serverErrorCode"] == "AUTHENTICATION_REQUIRED")
            #expect(try await phone.ask(.tokensRegister, body(one)).status != 200)
            #expect(try await user.with(Header.session, "tablet").ask(.tokensRegister, body(one)).status == 200)

            let again = try await user.ask(.clientsForget, ["sessions": ["phone"]], messageID: nil)
            #expect(again["clients"] == 0)
            #expect(try await isRegistered(one, by: user))
        }
    }

    @Test func aUserIsForgottenInOneEnvironmentOrInAll() async throws {
        try await ClientStack.with { stack in
            let (user, stranger) = (stack.client(), stack.client())
            let production = user.with(Header.environment, "production")
            let (here, there) = (try await stack.make(user), try await stack.make(production))
            let foreign = try await stack.make(stranger)
            let shared = try await stack.make(user)
            #expect(try await stranger.ask(.tokensRegister, body(shared)).status == 200)

            let one = try await user.ask(
                .clientsForget,
                [
                    "container": .string(user.container), "environment": "development",
                    "users": [.string(user.user)],
                ], messageID: nil)
            #expect(one["clients"] == 2)
            // If another user has registered the token too, it stays registered for that user.
            #expect(try await stack.queues() == Set([there, foreign, shared].map { Queue.client($0.name) }))
            #expect(try await !isRegistered(here, by: user))

            #expect(try await user.ask(.clientsForget, ["users": [.string(user.user)]], messageID: nil)["clients"] == 1)
            #expect(try await stack.queues() == Set([foreign, shared].map { Queue.client($0.name) }))
        }
    }

    @Test func aRemovedAccountLeavesNoSubscriptionsAndNoBadge() async throws {
        try await ClientStack.with { stack in
            let (user, stranger) = (stack.client(), stack.client())
            for client in [user, stranger] {
                let saved = try await client.ask(
                    .subscriptionsModify,
                    [
                        "operations": [
                            [
                                "operationType": "create",
                                "subscription": ["subscriptionID": "all", "subscriptionType": "database"],
                            ]
                        ]
                    ])
                #expect(saved.status == 200)
                #expect(try await client.ask(.badgesSet, ["badge": 3]).status == 200)
            }
            let kept = try await user.ask(.clientsForget, ["users": [.string(user.user)]], messageID: nil)
            #expect(kept["subscriptions"] == 0)
            let removed = try await user.ask(
                .clientsForget, ["users": [.string(user.user)], "removesSubscriptions": true], messageID: nil)
            #expect(removed["subscriptions"] == 1)
            #expect(try await user.ask(.subscriptionsList)["subscriptions"]?.array?.count == 0)
            #expect(try await stranger.ask(.subscriptionsList)["subscriptions"]?.array?.count == 1)
            let badges = try await stack.service.pool.withConnection { connection in
                try await connection.query("select user_name from subscription.badge").map { $0.string(0) }
            }
            #expect(badges == [stranger.user])
        }
    }

    @Test(
        arguments: [
            [:], ["users": []], ["users": "a"], ["users": [1]], ["sessions": [""]], ["removesSubscriptions": "yes"],
            ["users": ["_a"], "container": 1],
        ] as [JSONValue])
    func aBodyThatNamesNoUserIsRefused(_ body: JSONValue) async throws {
        #expect(throws: (any Error).self) { try ForgetRequest(body) }
    }

    @Test func theNotificationOfAUserWithTheMostClientsFitsIntoAFrame() async throws {
        try await SubscriptionStack.with { stack in
            func message(_ count: Int) -> AMQPMessage {
                let key = Queue.client(String(repeating: "f", count: 32))
                return AMQPMessage(
                    exchange: Exchange.notifications, routingKey: "user.a.development.b.c",
                    properties: AMQPProperties(
                        headers: ["BCC": .array(Array(repeating: .string(key), count: count))]), body: [])
            }
            for part in message(1000).withCopies { try await stack.publisher.publish(part) }
            // A message that does not fit is refused before it is sent, and is skipped. It does not cause a retry.
            let error = await #expect(throws: AMQPError.self) { try await stack.publisher.publish(message(10_000)) }
            #expect(error?.code == .refused)
            #expect(throws: SettingError.self) {
                try SubscriptionServiceConfiguration(
                    ServiceSettings(variables: [
                        "ZONDA_AMQP_URL": stack.vhost.url, "ZONDA_POSTGRES_URL": "postgres://a@b/c",
                        "ZONDA_SIGNING_KEYS_FILE": "/dev/null", "ZONDA_LIMIT_CLIENTS": "1001",
                    ]))
            }
        }
    }
}
