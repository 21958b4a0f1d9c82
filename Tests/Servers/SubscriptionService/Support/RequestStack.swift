import AMQPClient
import CloudKitWire
import Foundation
import Logging
import PostgresClient
import RequestServing
import ServiceMessages
import ServiceRuntime
import SignedTokens
import TestSupport

@testable import SubscriptionService
@testable import SubscriptionStorage

/// The operations with a real database and without a broker.
struct RequestStack: Sendable {
    private let operations: SubscriptionOperations
    /// The keys that sign the tokens of clients.
    static let keys = testKeys("k1")
    /// The queues of clients, with a broker that does not exist.
    static let queues: ClientQueues = {
        do {
            return ClientQueues(
                try AMQPConfiguration(url: "amqp://nobody:nothing@127.0.0.1:1/%2F"),
                bounds: ClientQueueBounds(expiry: .seconds(60), maxMessages: 10, maxBytes: 1 << 16), logger: testLogger)
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    /// Creates operations that allow a user five subscriptions.
    init(pool: PostgresPool, record: FakeRecordService, patience: Duration = .seconds(60)) {
        operations = SubscriptionOperations(
            modify: SubscriptionsModifyOperation(
                pool: pool, ledger: RequestLedger(pool: pool, table: .subscription),
                zones: ZoneCheck(client: RecordServiceClient(call: record.call, patience: patience)),
                interests: InterestCheck(client: RecordServiceClient(call: record.call, patience: patience)),
                maxOperations: 200, maxSubscriptions: 5, maxUnselectiveSubscriptions: 2),
            list: SubscriptionsListOperation(pool: pool, maxOperations: 200),
            badges: BadgesOperation(pool: pool), states: SubscriptionStatesOperation(pool: pool),
            test: SubscriptionsTestOperation(
                pool: pool, recipients: RecipientTable(pool: pool),
                send: { messages in messages.map { _ in .success(()) } }),
            tokens: TokensOperations(
                pool: pool, ledger: RequestLedger(pool: pool, table: .subscription),
                zones: ZoneCheck(client: RecordServiceClient(call: record.call, patience: patience)),
                queues: Self.queues,
                keys: Self.keys, courier: WebCourierAddress(url: "http://courier.example.org", life: .seconds(60)),
                maxClients: 5),
            forget: ForgetOperation(
                pool: pool,
                clients: ExpiredClients(
                    pool: pool, queues: Self.queues, metrics: SubscriptionMetrics(ServiceMetrics())),
                queues: Self.queues),
            consumers: ConsumerOperations(table: ConsumerTable(pool: pool)),
            retry: DatabaseRetry(logger: testLogger, metrics: RequestMetrics(ServiceMetrics())))
    }

    /// Sends a request as a zone's owner and returns the answer.
    @discardableResult
    func ask(
        _ operation: ServiceMessages.Operation, as zone: TestZone, _ body: JSONValue = [:],
        messageID: String = UUID().uuidString, headers: AMQPTable = [:]
    ) async throws -> JSONValue {
        var all: AMQPTable = [
            Header.container: .string(zone.address.container), Header.environment: "development",
            Header.database: "private", Header.user: .string(zone.address.owner),
        ]
        for (name, value) in headers { all[name] = value == .void ? nil : value }
        let properties = AMQPProperties(messageID: messageID, headers: all)
        let answer = await operations.answer(
            OpenedRequest(
                delivery: AMQPDelivery(queue: "", deliveryTag: 1, properties: properties, body: body.encoded()),
                operation: operation, context: try RequestContext(properties, operation: operation)))
        guard let answer else { throw TestFailure("no answer") }
        return try JSONValue(parsing: answer.body)
    }
}

/// Returns keys for the tokens of clients, one for each id.
func testKeys(_ ids: String...) -> SigningKeys {
    let lines = ids.map { "\($0):\(String(repeating: "5a", count: 32))" }
    do {
        return try SigningKeys(parsing: lines.joined(separator: "\n"), for: .clientToken)
    } catch {
        preconditionFailure("\(error)")
    }
}

extension JSONValue {
    /// Returns an operation that creates a zone subscription.
    static func create(_ id: String?, zone: String, _ info: JSONValue? = nil) -> JSONValue {
        save("create", id, zone: zone, info)
    }

    /// Returns an operation that updates a zone subscription.
    static func update(_ id: String, zone: String) -> JSONValue { save("update", id, zone: zone, nil) }

    /// Returns an operation that deletes a subscription.
    static func delete(_ id: String) -> JSONValue {
        ["operationType": "delete", "subscription": ["subscriptionID": .string(id)]]
    }

    private static func save(_ kind: String, _ id: String?, zone: String, _ info: JSONValue?) -> JSONValue {
        [
            "operationType": .string(kind),
            "subscription": [
                "subscriptionID": id.map { .string($0) } ?? .null, "subscriptionType": "zone",
                "zoneID": ["zoneName": .string(zone)], "notificationInfo": info ?? .null,
            ],
        ]
    }
}
