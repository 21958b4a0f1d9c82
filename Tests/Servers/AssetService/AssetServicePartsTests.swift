import AMQPClient
import CloudKitModel
import CloudKitWire
import Logging
import PostgresClient
import RequestServing
import ServiceLifecycle
import ServiceMessages
import ServiceRuntime
import TestSupport
import Testing

@testable import AssetService
@testable import AssetStorage

@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct AssetServicePartsTests {
    /// The life of an asset, from the producer's message to its deletion. Only the record service is a fake.
    @Test func anAssetIsPutDroppedAndDeleted() async throws {
        let vhost = try await TestBrokerVhost.make(in: try TestEnvironment.required())
        let settings = [
            "ZONDA_ASSET_GRACE": "1s", "ZONDA_ASSET_RECEIPT_LIFE": "1s", "ZONDA_ASSET_SWEEP": "1d",
        ]
        try await AssetStack.with(settings, broker: vhost.url) { stack in
            var parts = stack.parts
            parts.http.port = 0
            let (logger, configuration) = (stack.host.logger, try vhost.configuration())
            let rpc = AMQPRPCClient(configuration: configuration, logger: logger)
            let client = TestClient(rpc: rpc, container: AssetStack.container)
            try await withThrowingTaskGroup(of: Void.self) { [parts] group in
                for service in parts.parts.services { group.addTask { try await service.run() } }
                group.addTask { try await rpc.run() }
                defer { group.cancelAll() }
                try await parts.requestConsumer.waitUntilConnected(timeout: .seconds(20))
                try await parts.deletionConsumer.waitUntilConnected(timeout: .seconds(20))
                try await parts.publisher.waitUntilConnected(timeout: .seconds(20))
                try await parts.rpc.waitUntilConnected(timeout: .seconds(20))
                let reasons = await parts.parts.reasonsNotReady()
                #expect(reasons == [])

                let tokens = try await client.ask(.assetsUpload, ["tokens": ["fieldName": "photo"]])
                #expect(tokens.status == 200)
                let put = try await client.ask(client.message(.assetsPut, Array("bytes".utf8)))
                let checksum = try #require(
                    put["singleFile"]?["fileChecksum"]?.string.flatMap { AssetChecksum($0) })
                let tooLarge = try await client.ask(
                    client.message(.assetsPut, [UInt8](repeating: 0, count: AssetsPutOperation.maxBytes + 1)))
                #expect(tooLarge.status == 400 && tooLarge["limit"]?.int == Int64(AssetsPutOperation.maxBytes))

                let blob = try #require(try await stack.table.find(checksum, in: AssetStack.container))
                try await stack.expireReceipts()
                try await TestQueue.withDeliveries(of: Queue.recordInternal, configuration) { questions in
                    try await parts.publisher.publish(DeletionTests.event(dropping: [blob]).message())
                    let question = try await questions.first("the question which blobs are used")
                    #expect(question.routingKey == "assets.used")
                    try await parts.publisher.publish(
                        AMQPMessage(
                            exchange: "", routingKey: question.properties.replyTo ?? "",
                            properties: AMQPProperties(
                                correlationID: question.properties.correlationID,
                                headers: [Header.status: .int64(200)]),
                            body: Array("{\"used\":[]}".utf8)))
                }
                // Only the service is informed of the alarm. A test can only wait for the answer to a request.
                try await within(.seconds(20), "the deletion") {
                    let stat: JSONValue = [
                        "container": .string(AssetStack.container), "checksum": .string(checksum.hex),
                    ]
                    while try await client.ask(.assetsStat, stat).status != 404 {}
                }
                #expect(stack.files("blobs") == [])
            }
        }
        try await vhost.delete()
    }
}
