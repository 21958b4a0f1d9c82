import AMQPClient
import AssetTestSupport
import CloudKitModel
import CloudKitWire
import Logging
import ServiceMessages
import Synchronization
import TestSupport

@testable import AssetService
@testable import AssetStorage

/// A fake record service that answers the asset service's requests on a separate exchange.
final class FakeRecordService: Sendable {
    /// The way in which it answers a request.
    enum Manner: Sendable {
        case says(used: Set<BlobID>)
        case fails
        case isSilent
    }

    /// The blobs of the requests so far.
    let questions = TestMailbox<[Int64]>()
    /// Sends requests to this service.
    let client: RecordServiceClient
    private let manner: Mutex<Manner>
    private let held = Mutex<[BlobHolder]>([])
    private let permission = Mutex<SharePermission?>(nil)

    private init(_ manner: Manner, _ client: RecordServiceClient) {
        self.manner = Mutex(manner)
        self.client = client
    }

    /// Sets the permission that every participant has in every zone from now on; nil for none.
    func permit(_ permission: SharePermission?) { self.permission.withLock { $0 = permission } }

    /// Sets the way in which later requests are answered.
    func behave(_ manner: Manner) { self.manner.withLock { $0 = manner } }

    /// Sets the databases that use blobs from now on.
    func hold(_ holders: [BlobHolder]) { held.withLock { $0 = holders } }

    /// Runs a fake record service while `body` runs.
    static func with(
        _ manner: Manner, timeout: Duration = .seconds(20),
        _ body: (FakeRecordService, BlobUses, AMQPPublisher) async throws -> Void
    ) async throws {
        let configuration = try AMQPConfiguration(url: try TestEnvironment.required().amqpURL)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let name = TestEnvironment.uniqueName("uses")
        let topology = AMQPTopology(
            exchanges: [AMQPExchange(name: name, kind: .direct, isDurable: false, isAutoDelete: true)],
            queues: [AMQPQueue(name: name, isDurable: false, isAutoDelete: true)],
            bindings: [Operation.assetsUsed, .assetsHolders, .sharesRights].map {
                AMQPBinding(queue: name, exchange: name, routingKey: $0.rawValue)
            })
        let consumer = AMQPConsumer(
            configuration: configuration, topology: topology,
            consumptions: [AMQPConsumption(queue: name, prefetch: 10)], logger: logger)
        let publisher = AMQPPublisher(configuration: configuration, logger: logger)
        let rpc = AMQPRPCClient(configuration: configuration, logger: logger)
        let service = FakeRecordService(manner, RecordServiceClient(client: rpc, exchange: name))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await publisher.run() }
            group.addTask { try await consumer.run() }
            group.addTask { try await rpc.run() }
            group.addTask {
                for await deliveries in consumer.batches {
                    for delivery in deliveries { _ = await publisher.publish(try service.answers(to: delivery)) }
                    consumer.acknowledge(deliveries)
                }
            }
            defer { group.cancelAll() }
            try await consumer.waitUntilConnected(timeout: .seconds(20))
            try await body(
                service, BlobUses(client: rpc, exchange: name, timeout: timeout, logger: logger), publisher)
        }
    }

    private func answers(to delivery: AMQPDelivery) throws -> [AMQPMessage] {
        let question = try JSONValue(parsing: delivery.body)
        let blobs = question["blobs"]?.array?.compactMap(\.int) ?? []
        let asksForHolders = delivery.routingKey == Operation.assetsHolders.rawValue
        let asksForRights = delivery.routingKey == Operation.sharesRights.rawValue
        if !asksForHolders, !asksForRights { questions.add(blobs) }
        let (status, body): (Int64, JSONValue)
        switch manner.withLock({ $0 }) {
        case .says where asksForRights:
            if let permission = permission.withLock({ $0 }) {
                (status, body) = (200, ["permission": .string(permission.wireName)])
            } else {
                (status, body) = (
                    404,
                    [
                        "serverErrorCode": "ZONE_NOT_FOUND", "ckErrorCode": 26, "reasonCode": "zone_not_found",
                        "reason": "Zone does not exist",
                    ]
                )
            }
        case .says where asksForHolders:
            let environment = question["environment"]?.string
            let holders = held.withLock { $0 }.filter {
                blobs.contains($0.blob.rawValue) && $0.environment.rawValue == environment
            }
            (status, body) = (
                200,
                [
                    "holders": .array(
                        holders.map {
                            [
                                "blob": .int($0.blob.rawValue), "database": .string($0.scope.wireName),
                                "owner": .string($0.owner),
                            ]
                        })
                ]
            )
        case .says(let used):
            let answer = blobs.filter { used.contains(BlobID(rawValue: $0)) }.map { JSONValue.int($0) }
            (status, body) = (200, ["used": .array(answer)])
        case .fails: (status, body) = (500, ["serverErrorCode": "INTERNAL_ERROR"])
        case .isSilent: return []
        }
        return [
            AMQPMessage(
                exchange: "", routingKey: delivery.properties.replyTo ?? "",
                properties: AMQPProperties(
                    correlationID: delivery.properties.correlationID, isPersistent: false,
                    headers: [Header.status: .int64(status)]),
                body: body.encoded())
        ]
    }
}
