import AMQPClient
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import ServiceRuntime
import SignedTokens
import TestGenerators
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// The requests that `tokens.create`, `tokens.register` and `tokens.status` refuse without using the broker.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(1)))
struct ClientRequestTests {
    private let zone = TestZone()

    private func rows(_ pool: PostgresPool, _ table: String) async throws -> Int64 {
        let count = PostgresStatement("select count(*) from subscription.\(table)")
        return try await pool.withConnection { try await $0.query(count)[0].int64(0) }
    }

    @Test func bodiesAreRefusedByTheKeyThatIsAtFault() async throws {
        let token = ClientToken(.development, with: RequestStack.keys).text
        let foreign = ClientToken(.development, with: testKeys("k2")).text
        let operations: [(ServiceMessages.Operation, JSONValue, field: JSONValue, reasonCode: JSONValue)] = [
            (.tokensCreate, [:], "apnsEnvironment", "missing_key"),
            (.tokensCreate, ["apnsEnvironment": .null], "apnsEnvironment", "missing_key"),
            (.tokensCreate, ["apnsEnvironment": 1], "apnsEnvironment", "wrong_kind"),
            (.tokensCreate, ["apnsEnvironment": "Development"], "apnsEnvironment", "apns_environment_invalid"),
            (.tokensCreate, ["apnsEnvironment": "production", "clientId": 1], "clientId", "wrong_kind"),
            (.tokensCreate, ["apnsEnvironment": "production", "clientId": ""], "clientId", "client_id_invalid"),
            (.tokensCreate, ["apnsEnvironment": "production", "clientId": "a\n"], "clientId", "client_id_invalid"),
            (
                .tokensCreate,
                [
                    "apnsEnvironment": "production", "clientId": .string(String(repeating: "é", count: 128)),
                ],
                "clientId", "client_id_invalid"
            ),
            (.tokensRegister, ["apnsToken": .string(token)], "apnsEnvironment", "missing_key"),
            (.tokensRegister, ["apnsEnvironment": "development"], "apnsToken", "missing_key"),
            (.tokensRegister, ["apnsEnvironment": "development", "apnsToken": 1], "apnsToken", "wrong_kind"),
            (.tokensRegister, ["apnsEnvironment": "development", "apnsToken": ""], "apnsToken", "apns_token_invalid"),
            (
                .tokensRegister, ["apnsEnvironment": "development", "apnsToken": "client.00ff"], "apnsToken",
                "apns_token_invalid"
            ),
            (
                .tokensRegister, ["apnsEnvironment": "development", "apnsToken": .string(token + "A")], "apnsToken",
                "apns_token_invalid"
            ),
            (
                .tokensRegister,
                [
                    "apnsEnvironment": "development", "apnsToken": .string(Data(count: 32).base64EncodedString()),
                ],
                "apnsToken", "apns_token_invalid"
            ),
            (
                .tokensRegister, ["apnsEnvironment": "development", "apnsToken": .string(foreign)], "apnsToken",
                "apns_token_invalid"
            ),
            (
                .tokensRegister, ["apnsEnvironment": "production", "apnsToken": .string(token)], "apnsEnvironment",
                "apns_environment_mismatch"
            ),
            (.tokensStatus, [:], "apnsToken", "missing_key"),
            (.tokensStatus, ["apnsToken": .string(foreign)], "apnsToken", "apns_token_invalid"),
            (.tokensStatus, ["apnsToken": .string(token)], "apnsToken", "apns_token_not_registered"),
        ]
        try await withTestPool { pool in
            let service = RequestStack(pool: pool, record: FakeRecordService())
            for (operation, body, field, reasonCode) in operations {
                let reply = try await service.ask(operation, as: zone, body)
                #expect(reply["field"] == field, "\(operation) \(body)")
                #expect(reply["reasonCode"] == reasonCode, "\(operation) \(body)")
                // The answer must not contain the token, because it may be in use.
                #expect(!String(decoding: reply.encoded(), as: UTF8.self).contains(foreign))
            }
            #expect(try await rows(pool, "client") == 0)
            #expect(try await rows(pool, "environment") == 0)
        }
    }

    @Test func onlySignedInUsersHaveClients() async throws {
        try await withTestPool { pool in
            let service = RequestStack(pool: pool, record: FakeRecordService())
            for operation in [ServiceMessages.Operation.tokensCreate, .tokensRegister, .tokensStatus] {
                let reply = try await service.ask(
                    operation, as: zone, ["apnsEnvironment": "development"],
                    headers: [Header.user: .void, Header.database: "public"])
                #expect(reply["serverErrorCode"] == "AUTHENTICATION_REQUIRED")
            }
        }
    }

    @Test func nothingIsMadeInAContainerThatTheRecordServiceHasNotConfirmed() async throws {
        try await withTestPool { pool in
            let record = FakeRecordService()
            record.isAway = true
            let deadline = Int64(Date().timeIntervalSince1970 * 1000) + 100
            let reply = try await RequestStack(pool: pool, record: record).ask(
                .tokensCreate, as: zone, ["apnsEnvironment": "development"],
                headers: [Header.deadline: .int64(deadline)])
            #expect(reply["reasonCode"] == "record_service_away")
            #expect(try await rows(pool, "environment") == 0)
        }
    }

    /// The broker does not exist. The request is retried until its deadline, and a repeat continues where it ended.
    @Test func withoutAQueueThereIsNoToken() async throws {
        try await withTestPool { pool in
            let service = RequestStack(pool: pool, record: FakeRecordService())
            for _ in 0..<2 {
                let deadline = Int64(Date().timeIntervalSince1970 * 1000) + 300
                let reply = try await service.ask(
                    .tokensCreate, as: zone, ["apnsEnvironment": "development"], messageID: "m1",
                    headers: [Header.deadline: .int64(deadline)])
                #expect(reply["serverErrorCode"] == "TRY_AGAIN_LATER")
                #expect(reply["reasonCode"] == "client_queue_away")
                #expect(try await rows(pool, "client") == 1)
            }
        }
    }

    @Test func whatHasExpiredStaysWhileTheBrokerIsAway() async throws {
        try await withTestPool { pool in
            let deadline = Int64(Date().timeIntervalSince1970 * 1000) + 300
            try await RequestStack(pool: pool, record: FakeRecordService()).ask(
                .tokensCreate, as: zone, ["apnsEnvironment": "development"],
                headers: [Header.deadline: .int64(deadline)])
            _ = try await pool.withConnection { connection in
                try await connection.query("update subscription.client set expires_at = now()")
            }
            let metrics = SubscriptionMetrics(ServiceMetrics())
            let round = ExpiredClients(pool: pool, queues: RequestStack.queues, metrics: metrics)
            await #expect(throws: AMQPError.self) { try await round.runOnce() }
            #expect(try await rows(pool, "client") == 1)
        }
    }

    @Test func dropsOfManyClientsAreWrittenAtOnceByTwoInstances() async throws {
        try await withTestPool { pool in
            let environment = try await EnvironmentTable(pool: pool).findOrMake(
                RequestContext(
                    AMQPProperties(
                        messageID: "m",
                        headers: [
                            Header.container: "com.example.tests", Header.environment: "development",
                            Header.database: "private", Header.user: .string(zone.address.owner),
                        ]), operation: .tokensCreate))
            let names = (0..<50).map { "\($0)" }
            _ = try await pool.withConnection { connection in
                try await connection.query(
                    """
                    insert into subscription.client (name, environment, user_name, apns_environment, expires_at)
                    select n, $1, u, 'development', now() + interval '1 hour'
                    from unnest($2::text[]) as n, unnest(array['_a', '_b']) as u
                    """, [.int4(environment), .textArray(names)])
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for instance in 0..<4 {
                    group.addTask {
                        for round in 0..<10 {
                            var generator = SeededGenerator(seed: UInt64(instance * 10 + round))
                            let drops = Dictionary(
                                uniqueKeysWithValues: names.shuffled(using: &generator).map { ($0, 2) })
                            _ = try await pool.withConnection { try await $0.pipeline([ClientTable.add(drops)]) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await pool.waitUntil(
                "(select count(*) = 100 and bool_and(dropped = 80 and dropped_at is not null) from subscription.client)"
            )
        }
    }
}
