import AMQPClient
import CloudKitWire
import Logging
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// A service's broker user and database role have no more rights than the service needs. The other suites show that
    /// the rights suffice.
    @Suite(.sharedServices, .timeLimit(.minutes(2))) struct LeastPrivilegeTests {
        /// Each service with the queues that do not belong to it. A queue's name begins with the service to which it
        /// belongs; the dead letters belong to the operator.
        private static let others = ServiceName.allCases.flatMap { service in
            (Topology.all.queues.map(\.name)).filter { !$0.hasPrefix("\(service.rawValue).") }
                // The subscription service reads the log for replays.
                .filter { service != .subscription || $0 != Queue.notificationsLog }
                // One of the sixteen shards is enough.
                .filter { !$0.hasPrefix("subscription.changes.") || $0.hasSuffix("00") }.map { (service, $0) }
        }

        @Test(arguments: others)
        func noServiceTakesAnothersMessages(_ service: ServiceName, queue: String) async throws {
            let refusal = await refusal(of: service) { session in _ = try await session.get(queue, noAck: false) }
            #expect(refusal?.replyCode == 403)
        }

        /// The exchanges to which each service may publish.
        private static let own: [ServiceName: Set<String>] = [
            .record: ["zonda.changes", "zonda.delay", "zonda.dead"],
            .asset: ["zonda.internal", "zonda.delay", "zonda.dead"],
            .subscription: ["zonda.internal", "zonda.notifications", "zonda.drops", "zonda.dead"],
            .gateway: ["zonda.requests", "zonda.internal", "zonda.dead"],
        ]
        private static let notToSay = ServiceName.allCases.flatMap { service in
            Topology.all.exchanges.map(\.name).filter { own[service]?.contains($0) == false }.map { (service, $0) }
        }

        @Test(arguments: notToSay)
        func noServicePublishesMessagesOfAnother(_ service: ServiceName, exchange: String) async throws {
            let stack = try SharedStack.current
            var configuration = try AMQPConfiguration(url: try stack.deployment.brokerURL(of: service))
            configuration.connectionName = "zonda-test"
            let publisher = AMQPPublisher(
                configuration: configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let results = await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await publisher.run() }
                defer { group.cancelAll() }
                return await publisher.publish([
                    AMQPMessage(exchange: exchange, routingKey: "records.modify", body: [])
                ])
            }
            let error = #expect(throws: AMQPError.self) { for result in results { try result.get() } }
            #expect(error?.replyCode == 403)
        }

        @Test(arguments: ServiceName.allCases)
        func noServiceChangesTheTopology(_ service: ServiceName) async throws {
            let declared = await refusal(of: service) { session in
                _ = try await session.declare(AMQPQueue(name: "notifications.mine"))
            }
            let deleted = await refusal(of: service) { session in
                _ = try await session.deleteQueue(Queue.consumed(by: service)[0])
            }
            let bound = await refusal(of: service) { session in
                try await session.bind(
                    AMQPBinding(
                        queue: Queue.consumed(by: service)[0], exchange: Exchange.notifications, routingKey: "#"))
            }
            #expect([declared, deleted, bound].map(\.?.replyCode) == [403, 403, 403])
        }

        @Test(arguments: [
            (ServiceName.record, "select from asset.blob"), (.record, "delete from asset.blob"),
            (.record, "select from subscription.subscription"), (.record, "create table asset.mine ()"),
            (.asset, "select from record.record"), (.asset, "select from subscription.subscription"),
            (.subscription, "select from record.zone"), (.subscription, "select from asset.blob"),
            (.subscription, "create table public.mine ()"), (.subscription, "create schema mine"),
            (.record, "create role mine"), (.asset, "set role postgres"),
            (.gateway, "select from record.record"), (.gateway, "select from subscription.client"),
            (.record, "create table account.mine ()"), (.subscription, "select from account.session"),
        ])
        func noServiceReadsAnothersSchema(_ service: ServiceName, statement: String) async throws {
            let stack = try SharedStack.current
            let url = try stack.deployment.databaseURL(of: service)
            let error = await #expect(throws: PostgresError.self) {
                try await stack.database.query(PostgresStatement(statement), as: url)
            }
            #expect(error?.sqlState?.rawValue == "42501")
        }

        @Test func theRecordServiceMayReferToBlobsAndNothingElse() async throws {
            let stack = try SharedStack.current
            let granted = try await stack.database.query(
                """
                select table_schema || '.' || table_name || ' ' || privilege_type
                from information_schema.table_privileges
                where grantee = $1 and table_schema in ('account', 'asset', 'subscription')
                """, [.text(stack.deployment.role(of: .record))])
            #expect(granted.map { $0.string(0) } == ["asset.blob REFERENCES"])
        }

        @Test func provisioningAgainChangesNothing() async throws {
            let stack = try SharedStack.current
            let client = stack.client()
            try await client.zones("create", "Notes")
            try await stack.deployment.provision()
            let reply = try await client.ask(.zonesList)
            #expect(reply.status == 200)
        }

        private func refusal(
            of service: ServiceName, _ body: (AMQPChannelSession) async throws -> Void
        ) async -> AMQPError? {
            do {
                let url = try SharedStack.current.deployment.brokerURL(of: service)
                try await AMQPChannelSession.with(try AMQPConfiguration(url: url), body)
                return nil
            } catch {
                return error as? AMQPError
            }
        }
    }

    /// A broker that has not been provisioned, or only for an earlier version.
    @Suite(.timeLimit(.minutes(2))) struct MissingTopologyTests {
        @Test func serviceNamesWhatTheBrokerLacksAndServesWhenItIsThere() async throws {
            try await ServiceStack.with { stack in
                try await AMQPChannelSession.with(try stack.vhost.configuration()) { session in
                    try await session.deleteQueue(Queue.recordReads)
                    let service = try stack.launchService()
                    try await service.waitUntilNotReady(because: "no queue 'record.reads'")
                    try await session.declare(Topology.all)
                    try await service.waitUntilReady()
                }
            }
        }
    }

    /// A database in which one role created the schemas of all services.
    @Suite(.timeLimit(.minutes(2))) struct SingleRoleTests {
        @Test func rolesTakeOverWhatOneRoleHadMade() async throws {
            try await ServiceStack.with { stack in
                let owner = ["ZONDA_POSTGRES_URL": stack.database.url, "ZONDA_RECORD_ROLE": ""]
                try await stack.database.query(
                    "create table record.former (id int generated always as identity primary key)")
                try await stack.startService(.asset, owner)
                try await stack.startService(.record, owner)
                let client = stack.client()
                _ = try await client.ask(.containersCreate, ["container": .string(stack.container)])
                try await client.zones("create", "Notes")
                for service in stack.services {
                    service.terminate()
                    try await service.exit(within: .seconds(10))
                }
                try await stack.deployment.provision()
                try await stack.startService(.asset)
                try await stack.startService(.record)
                let zones = try await client.ask(.zonesList)
                #expect(zones["zones"]?.array?.count == 2)
            }
        }
    }
}
