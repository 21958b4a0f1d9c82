import AMQPClient
import CloudKitWire
import Foundation
import Logging
import PostgresClient
import RequestServing
import ServiceLifecycle
import ServiceMessages
import ServiceRuntime
import TestSupport
import Testing

@testable import Gateway
@testable import GatewayStorage

/// Operators' requests over a real broker.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(5)))
struct AdminWorkTests {
    @Test func operatorsAreAnsweredOverTheBroker() async throws {
        let vhost = try await TestBrokerVhost.make(in: try TestEnvironment.required())
        do {
            try await AccountStack.with { try await answered($0, at: vhost) }
        } catch {
            try? await vhost.delete()
            throw error
        }
        try await vhost.delete()
    }

    private func answered(_ stack: AccountStack, at vhost: TestBrokerVhost) async throws {
        let amqp = try vhost.configuration()
        let settings = ServiceSettings(variables: [
            "ZONDA_AMQP_URL": vhost.url, "ZONDA_POSTGRES_URL": "postgres://nobody@127.0.0.1:1/none",
            "ZONDA_SIGNING_KEYS": "k1:\(String(repeating: "5a", count: 32))",
        ])
        let host = ServiceHost(
            try GatewayConfiguration(settings).host, migrator: AccountMigrations.migrator,
            logger: AccountStack.logger)
        let publisher = AMQPPublisher(configuration: amqp, topology: Topology.all, logger: AccountStack.logger)
        let rpc = AMQPRPCClient(configuration: amqp, logger: AccountStack.logger)
        let work = AdminWork(
            accounts: stack.accounts, passwordCost: 10,
            call: { message, time throws(AMQPError) in
                var message = message
                message.properties.userID = amqp.user
                return try await rpc.call(message, timeout: time)
            }, amqp: amqp, publisher: publisher, host: host)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let services: [any Service] = [publisher, rpc] + work.services
            for service in services { group.addTask { try await service.run() } }
            defer { group.cancelAll() }
            try await publisher.waitUntilConnected(timeout: .seconds(20))
            let client = TestClient(rpc: rpc, container: "iCloud.org.example.Notes")
            let made = try await client.ask(.usersCreate, ["email": "ada@example.org"])
            #expect(made.status == 200)
            let listed = try await client.ask(.usersList)
            #expect(listed["users"]?[0]?["email"] == "ada@example.org")
            let nameless = try await client.ask(.usersDelete, ["email": "ada@example.org"], messageID: nil)
            #expect(nameless.body["reasonCode"] == "message_id_required")
        }
    }
}
