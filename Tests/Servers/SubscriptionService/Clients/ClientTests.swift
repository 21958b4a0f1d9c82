import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import RequestServing
import ServiceMessages
import ServiceRuntime
import SignedTokens
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// Registered clients, from the token to the messages in its queue.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct ClientTests {
    private let create: JSONValue = ["apnsEnvironment": "development", "clientId": "laptop"]

    // MARK: Creating

    @Test func aTokenIsMadeWithAQueueThatHoldsNotificationsInOrder() async throws {
        try await ClientStack.with { stack in
            let user = stack.client()
            let made = try await user.ask(.tokensCreate, create)
            #expect(made.status == 200)
            let text = try #require(made["apnsToken"]?.string)
            let token = try #require(ClientToken(text, with: stack.keys))
            #expect(Data(base64Encoded: text)?.count == 32)
            #expect(made["apnsEnvironment"] == "development")
            #expect(
                made["webcourierURL"] == .string("http://127.0.0.1:8080/courier?tok=\(token.urlText)&ttl=43200"))

            // The queue has no reader yet, so notifications wait.
            for number in 1...5 { try await stack.tell(number, [token]) }
            try await stack.waitFor(5, in: token)
            let status = try await user.ask(.tokensStatus, ["apnsToken": .string(text)])
            #expect(status["messages"] == 5)
            #expect(status["consumers"] == 0)
            #expect(status["queue"] == .string("client.\(token.name)"))
            #expect(status["clientId"] == "laptop")
            #expect(status["dropped"] == 0)
            #expect(status["droppedAt"] == nil)
            let remains = try #require(status["expiresAt"]?.int) - SystemClock.milliseconds()
            #expect((43_000_000...43_201_000).contains(remains))

            // One connection reads the queue, and then another one. The unacknowledged message is delivered again.
            for _ in 0..<2 { #expect(try await stack.peek(token) == "1") }
            #expect(try await stack.take(token) == ["1", "2", "3", "4", "5"])
        }
    }

    @Test func theTokenIsNowhereInTheDatabase() async throws {
        try await ClientStack.with { stack in
            let user = stack.client()
            let token = try await stack.make(user)
            _ = try await user.ask(
                .tokensRegister, ["apnsEnvironment": "development", "apnsToken": .string(token.text)])
            let rows = try await stack.service.pool.withConnection { connection in
                try await connection.query(
                    """
                    select coalesce(string_agg(t, ' '), '') from (
                        select c::text from subscription.client c
                        union all select r::text || convert_from(r.outcome, 'UTF8') from subscription.request r) as s(t)
                    """)[0].string(0)
            }
            #expect(rows.contains(token.name))
            for secret in [
                token.text, token.urlText, Hexadecimal.encode(Data(base64Encoded: token.text) ?? Data()),
            ] {
                #expect(!rows.contains(secret))
            }
        }
    }

    @Test func aRepeatGetsTheSameTokenAndHasNoSecondEffect() async throws {
        try await ClientStack.with { stack in
            let user = stack.client()
            let first = try await user.ask(.tokensCreate, create, messageID: "m1")
            let token = try #require(ClientToken(first["apnsToken"]?.string ?? "", with: stack.keys))
            // Simulates that the first attempt ended before it created the queue.
            try await stack.session.deleteQueue(Queue.client(token.name))
            let again = try await user.ask(.tokensCreate, create, messageID: "m1")
            #expect(again == first)
            #expect(try await stack.queues() == [Queue.client(token.name)])
            let other = try await user.ask(.tokensCreate, ["apnsEnvironment": "production"], messageID: "m1")
            #expect(other["reasonCode"] == "message_id_reused")

            try await stack.expire(token)
            try await stack.clean()
            let late = try await user.ask(.tokensCreate, create, messageID: "m1")
            #expect(late == first)
            #expect(try await stack.queues() == [])
        }
    }

    @Test func theirNumberIsLimitedForRequestsAtOnce() async throws {
        try await ClientStack.with(configured: { $0.limits.maxClients = 3 }) { stack in
            let user = stack.client()
            let replies = try await withThrowingTaskGroup(of: TestReply.self) { group in
                for _ in 0..<40 { group.addTask { try await user.ask(.tokensCreate, create) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let tokens = replies.compactMap { $0["apnsToken"]?.string }.compactMap { ClientToken($0, with: stack.keys) }
            let refused = replies.filter { $0.status != 200 }
            #expect(tokens.count == 3)
            #expect(refused.count == 37)
            #expect(refused.allSatisfy { $0["reasonCode"] == "too_many_clients" && $0.status == 400 })
            #expect(refused.allSatisfy { $0["limit"] == 3 && $0["actual"] == 4 && $0["ckErrorCode"] == 27 })
            #expect(try await stack.queues() == Set(tokens.map { Queue.client($0.name) }))

            // Other users are not affected, a registered client can be registered again, and expired ones do not count.
            let token = try await stack.make(stack.client())
            let body: JSONValue = ["apnsEnvironment": "development", "apnsToken": .string(token.text)]
            #expect(try await user.ask(.tokensRegister, body)["reasonCode"] == "too_many_clients")
            let own: JSONValue = ["apnsEnvironment": "development", "apnsToken": .string(tokens[0].text)]
            #expect(try await user.ask(.tokensRegister, own).status == 200)
            try await stack.expire(tokens[1])
            #expect(try await user.ask(.tokensRegister, body).status == 200)
            #expect(try await user.ask(.tokensCreate, create).status == 400)
        }
    }

    // MARK: Registering

    @Test func oneTokenIsRegisteredInSeveralContainersAndByAnyUserThatHasIt() async throws {
        try await ClientStack.with { stack in
            let user = stack.client()
            let token = try await stack.make(user)
            let body: JSONValue = ["apnsEnvironment": "development", "apnsToken": .string(token.text)]
            let elsewhere = user.with(Header.container, "com.example.other")
            let other = stack.client()
            for client in [elsewhere, user.with(Header.environment, "production"), other] {
                #expect(try await client.ask(.tokensStatus, body)["reasonCode"] == "apns_token_not_registered")
                let reply = try await client.ask(.tokensRegister, body)
                #expect(reply["apnsToken"] == .string(token.text))
                #expect(reply["webcourierURL"]?.string?.contains(token.urlText) == true)
                #expect(reply["apnsEnvironment"] == "development")
            }
            #expect(try await stack.queues() == [Queue.client(token.name)])

            // Each user gets only their own registrations.
            let status = try await user.ask(.tokensStatus, body)
            let registrations = status["registrations"]?.array ?? []
            #expect(
                registrations.map { "\($0["container"]?.string ?? "") \($0["environment"]?.string ?? "")" } == [
                    "com.example.other development", "com.example.tests development", "com.example.tests production",
                ])
            #expect(status["clientId"] == "laptop")
            let others = try await other.ask(.tokensStatus, body)
            #expect(others["registrations"]?.array?.count == 1)
            #expect(others["clientId"] == nil)
        }
    }

    @Test func registeringAgainRenewsAndMakesAQueueThatIsGone() async throws {
        try await ClientStack.with { stack in
            let user = stack.client()
            let token = try await stack.make(user)
            let body: JSONValue = ["apnsEnvironment": "development", "apnsToken": .string(token.text)]
            try await stack.tell(1, [token])
            try await stack.waitFor(1, in: token)
            try await stack.expire(token, in: "1 minute")
            #expect(try await user.ask(.tokensRegister, body).status == 200)
            let renewed = try await user.ask(.tokensStatus, body)
            #expect(try #require(renewed["expiresAt"]?.int) > SystemClock.milliseconds() + 43_000_000)
            #expect(renewed["messages"] == 1)
            #expect(renewed["clientId"] == "laptop")

            // A queue that was declared with other limits is not changed.
            try await stack.session.deleteQueue(Queue.client(token.name))
            let gone = try await user.ask(.tokensStatus, body)
            #expect(gone.status == 200)
            #expect(gone["messages"] == nil)
            let bounds = ClientQueueBounds(expiry: .seconds(600), maxMessages: 7, maxBytes: 1 << 20)
            _ = try await stack.session.declare(Topology.client(token.name, bounds).queues[0])
            #expect(try await user.ask(.tokensRegister, body).status == 200)
            try await stack.tell(2, [token])
            try await stack.waitFor(1, in: token)

            try await stack.session.deleteQueue(Queue.client(token.name))
            #expect(try await user.ask(.tokensRegister, body).status == 200)
            try await stack.tell(3, [token])
            try await stack.waitFor(1, in: token)
            #expect(try await stack.take(token) == ["3"])
        }
    }

    // MARK: Dropped notifications

    @Test func whatAClientHasNoRoomForIsDroppedFromTheHeadAndCounted() async throws {
        try await ClientStack.with(configured: { $0.clientQueues.maxMessages = 3 }) { stack in
            let (user, other) = (stack.client(), stack.client())
            let (silent, reading) = (try await stack.make(user), try await stack.make(other))
            let body: JSONValue = ["apnsToken": .string(silent.text)]
            try await TestQueue.withDeliveries(of: Queue.client(reading.name), stack.amqp) { mailbox in
                for number in 1...8 { try await stack.tell(number, [silent, reading]) }
                let heard = try await mailbox.wait(for: "all notifications") { $0.count == 8 ? $0 : nil }
                #expect(heard.map { String(decoding: $0.body, as: UTF8.self) } == (1...8).map(String.init))
            }
            try await stack.service.pool.waitUntil("(select sum(dropped) = 5 from subscription.client)")
            let status = try await user.ask(.tokensStatus, body)
            #expect(status["dropped"] == 5)
            #expect(status["messages"] == 3)
            #expect(abs(try #require(status["droppedAt"]?.int) - SystemClock.milliseconds()) < 60_000)
            let others = try await other.ask(.tokensStatus, ["apnsToken": .string(reading.text)])
            #expect(others["dropped"] == 0)
            #expect(try await stack.take(silent) == ["6", "7", "8"])
            // The metric is updated after the row.
            try await within(.seconds(10), "the metric") {
                while stack.service.host.metrics.value(of: SubscriptionMetrics.clientDrops) < 5 { await Task.yield() }
            }
        }
    }

    @Test func whatIsLongerThanAClientsRoomIsDropped() async throws {
        try await ClientStack.with(configured: { $0.clientQueues.maxBytes = 1000 }) { stack in
            let token = try await stack.make(stack.client())
            try await stack.tell(String(repeating: "x", count: 2000), [token])
            try await stack.service.pool.waitUntil("(select sum(dropped) = 1 from subscription.client)")
            try await stack.tell(1, [token])
            try await stack.waitFor(1, in: token)
        }
    }

    // MARK: Expiring

    @Test func whatHasExpiredIsRemovedWithItsQueueUnlessAnotherRegisteredIt() async throws {
        try await ClientStack.with { stack in
            let user = stack.client()
            let (gone, shared, kept) = (
                try await stack.make(user), try await stack.make(user), try await stack.make(user)
            )
            let body: JSONValue = ["apnsEnvironment": "development", "apnsToken": .string(shared.text)]
            let elsewhere = user.with(Header.container, "com.example.other")
            try await stack.expire(gone)
            try await stack.expire(shared)
            #expect(try await elsewhere.ask(.tokensRegister, body).status == 200)
            #expect(try await user.ask(.tokensStatus, body)["reasonCode"] == "apns_token_not_registered")
            try await stack.clean()
            #expect(try await stack.queues() == [Queue.client(shared.name), Queue.client(kept.name)])
            #expect(try await elsewhere.ask(.tokensStatus, body)["registrations"]?.array?.count == 1)
            #expect(stack.metrics.value(of: SubscriptionMetrics.clients) == 2)

            // A token that this deployment issued can be registered even if it is no longer stored.
            let again: JSONValue = ["apnsEnvironment": "development", "apnsToken": .string(gone.text)]
            #expect(try await user.ask(.tokensRegister, again).status == 200)
            #expect(try await stack.queues().contains(Queue.client(gone.name)))
        }
    }

    @Test func aTokenThatIsBeingRegisteredKeepsItsQueue() async throws {
        try await ClientStack.with { stack in
            let token = try await stack.make(stack.client())
            try await stack.expire(token)
            try await stack.service.pool.withTransaction { connection in
                _ = try await connection.pipeline([ClientTable.lock(token.name)])
                try await stack.clean()
            }
            #expect(try await stack.queues() == [Queue.client(token.name)])
            try await stack.clean()
            #expect(try await stack.queues() == [])
        }
    }

    @Test func anUnusedQueueDeletesItself() async throws {
        try await ClientStack.with(configured: { $0.clientQueues.expiry = .milliseconds(500) }) { stack in
            let queue = Queue.client(try await stack.make(stack.client()).name)
            // A look-up would count as a use of the queue, but a publish does not.
            let message = AMQPMessage(exchange: "", routingKey: queue, body: [], isMandatory: true)
            let end = await stack.refusal(of: message)
            #expect(end?.code == .returned)
            // The messages in the deleted queue do not count as dropped.
            let drops = try await stack.session.status(ofQueue: Queue.subscriptionDrops)
            #expect(drops?.messageCount == 0)
        }
    }
}
