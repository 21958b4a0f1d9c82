import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// Badges and the recipients of notifications, with real servers.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct BadgeTests: SubscriptionSuite {
    let zone = TestZone("Notes")

    @Test func badgesCountUpAndTheOriginatingClientIsLeftOut() async throws {
        try await with([.watch("b", filter: [:], on: ["create"], more: ["notificationInfo": ["shouldBadge": true]])]) {
            stack, service in
            let set = try await service.ask(.badgesSet, as: zone, ["badge": 3])
            #expect(set == ["badge": 3])
            for name in ["one", "two"] {
                _ = try await stack.pool.withConnection { connection in
                    try await connection.query(
                        """
                        insert into subscription.client (name, environment, user_name, client_id, apns_environment,
                            expires_at)
                        select $1, environment, user_name, $2, 'development', now() + interval '1 hour'
                        from subscription.subscription
                        """, [.text(name), .text("client-\(name)")])
                }
            }
            let configuration = try AMQPConfiguration(url: try TestEnvironment.required().amqpURL)
            try await TestQueue.withBinding(to: stack.exchange, "client.one", configuration) { one in
                try await TestQueue.withBinding(to: stack.exchange, "client.two", configuration) { two in
                    try await stack.withLane {
                        try await stack.commit(
                            zone.event([(.created, "a", [:]), (.created, "b", [:])], client: "client-one"))
                        let bodies = try await reported(stack, count: 2)
                        #expect(bodies.map { $0["aps"]?["badge"] } == [4, 5])
                        try await stack.commit(zone.event([(.created, "c", [:])], from: 3))
                        let ofTwo = try await two.wait(for: "three") { $0.count == 3 ? $0 : nil }
                        #expect(ofTwo.allSatisfy { $0.properties.headers["BCC"] == nil })
                        let ofOne = try await one.wait(for: "the other's") { $0.count == 1 ? $0 : nil }
                        // Another user's client may have the same name.
                        var foreign = zone.event([(.created, "d", [:])], from: 4, client: "client-one")
                        foreign.user = TestZone.newUser()
                        try await stack.commit(foreign)
                        _ = try await one.wait(for: "the other user's") { $0.count == 2 ? $0 : nil }
                        let last = try JSONValue(parsing: ofOne[0].body)
                        #expect(last["ck"]?["qry"]?["rid"] == "c")
                        #expect(last["aps"]?["badge"] == 6)
                    }
                }
            }
        }
    }

    @Test(arguments: [["badge": -1], ["badge": "3"], ["badge": 4_294_967_296], [:]] as [JSONValue])
    func aBadgeIsAWholeNumber(body: JSONValue) async throws {
        try await withTestPool { pool in
            let reply = try await RequestStack(pool: pool, record: FakeRecordService()).ask(
                .badgesSet, as: zone, body)
            #expect(reply["serverErrorCode"] == "BAD_REQUEST")
            #expect(reply["field"] == "badge")
        }
    }
}
