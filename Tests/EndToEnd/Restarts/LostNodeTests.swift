import AMQPClient
import CloudKitWire
import Logging
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.RestartTests {
    /// A node of the broker's cluster is lost, with the channels of its callers.
    @Suite(.timeLimit(.minutes(5))) struct LostNodeTests {
        @Test func answersContinueWhenANodeIsGoneToWhichCallersWereConnected() async throws {
            try await TestCluster.with { cluster in
                try await ServiceStack.with(in: cluster.environment) { stack in
                    let service = try await stack.startService()
                    let honest = stack.client()
                    try await honest.zones("create", "Notes")
                    let lost = try await replyAddress(ofNode: 2, in: cluster, stack)
                    try await cluster.kill(node: 2)
                    for _ in 0..<20 {
                        var message = stack.client().message(.zonesList, Array("{}".utf8))
                        message.properties.replyTo = lost
                        try await stack.publisher.publish(message)
                    }
                    for index in 0..<50 {
                        try await honest.save("Notes", "n\(index)", ["n": .int(Int64(index))])
                        _ = try await honest.ask(.zonesList, within: .seconds(10))
                    }
                    try await eventually("the answers to the lost node are given up") {
                        try await service.metric("zonda_broker_messages_given_up_total{client=\"publisher\"}") == 20
                            ? true : nil
                    }
                    #expect(service.errors == [])
                }
            }
        }

        /// Returns the reply address of a caller at that node, after the caller has received an answer.
        private func replyAddress(
            ofNode number: Int, in cluster: TestCluster, _ stack: ServiceStack
        ) async throws -> String {
            var configuration = try stack.vhost.configuration()
            configuration.port = cluster.port(ofNode: number)
            let rpc = AMQPRPCClient(
                configuration: configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await rpc.run() }
                defer { group.cancelAll() }
                let client = TestClient(rpc: rpc, container: stack.container)
                _ = try await client.ask(.zonesList)
                return try await TestQueue.withBinding(
                    to: Exchange.requests, "seen", try stack.vhost.configuration()
                ) { box in
                    group.addTask {
                        let message = AMQPMessage(exchange: Exchange.requests, routingKey: "seen", body: [])
                        _ = try? await rpc.call(message, timeout: .seconds(60))
                    }
                    return try #require(try await box.first("the request") { _ in true }.properties.replyTo)
                }
            }
        }
    }
}
