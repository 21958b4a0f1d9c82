import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import RequestServing
import ServiceMessages
import SignedTokens
import Testing

@testable import RecordService
@testable import RecordStorage

/// Requests to the service's parts, without a broker.
extension RecordDatabase {
    /// The acting user.
    static let user = "_" + String(repeating: "a", count: 32)
    /// The private database of ``user``.
    static let scope = AssetScope(
        container: container, environment: .development, scope: .private, owner: user)

    static func headers() -> AMQPTable {
        [
            Header.container: .string(container), Header.environment: .string("development"),
            Header.database: .string("private"), Header.user: .string(user),
        ]
    }

    /// Returns the answer to a request that no lane executes.
    func ask(_ operation: ServiceMessages.Operation, _ body: JSONValue) async throws -> JSONValue {
        try JSONValue(parsing: try await answer(operation, body).body)
    }

    /// Returns the answer to a request that no lane executes, with its events.
    func answer(_ operation: ServiceMessages.Operation, _ body: JSONValue) async throws -> Answer {
        let properties = AMQPProperties(messageID: UUID().uuidString, headers: Self.headers())
        let table = OperationTable(store, retry: RecordDatabase.retry)
        let delivery = AMQPDelivery(
            queue: operation.queue, deliveryTag: 1, exchange: operation.exchange, routingKey: operation.rawValue,
            properties: properties, body: body.encoded())
        let context = try RequestContext(properties, operation: operation)
        let request = OpenedRequest(delivery: delivery, operation: operation, context: context)
        guard operation != .recordsModify else {
            // The zone does not exist. Requests for existing zones are answered by lanes.
            let write = UnresolvedWrite(
                delivery: delivery, context: context, body: try ModifyRecordsRequest(decoding: delivery.body),
                bodyHash: request.identity, checksOwners: false)
            do {
                return try await table.attempt(.records(write))
            } catch let error as ServerError {
                return Answer(error: error, context: context)
            }
        }
        return try #require(await table.answer(request))
    }

    /// Returns a zone, which is created if it does not exist.
    func zone(_ name: String = "Z") async throws -> ZoneEntry {
        let made = try await ask(
            .zonesModify,
            ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": .string(name)]]]]])
        #expect(made["zones"]?[0]?["serverErrorCode"] == nil)
        let context = try RequestContext(
            AMQPProperties(messageID: "m", headers: Self.headers()), operation: .recordsModify)
        return try #require(
            try await store.directory.zone(ZoneName(unchecked: name), for: context, createDatabase: true))
    }

    /// Returns a `records.modify` for one zone.
    func request(_ zone: ZoneEntry, _ operations: JSONValue..., atomic: Bool = false) throws -> WriteRequest {
        try request(zone, operations, atomic: atomic)
    }

    /// Returns a `records.modify` for one zone.
    func request(
        _ zone: ZoneEntry, _ operations: [JSONValue], atomic: Bool = false, messageID: String = UUID().uuidString
    ) throws -> WriteRequest {
        let body = JSONValue.object([
            .init("atomic", .bool(atomic)), .init("zoneID", ["zoneName": .string(zone.address.zone.rawValue)]),
            .init("operations", .array(operations)),
        ]).encoded()
        let properties = AMQPProperties(messageID: messageID, headers: Self.headers())
        return WriteRequest(
            delivery: AMQPDelivery(queue: Queue.recordWrites, deliveryTag: 1, properties: properties, body: body),
            context: try RequestContext(properties, operation: .recordsModify),
            body: try ModifyRecordsRequest(decoding: body), bodyHash: Array(body.suffix(32)), zone: zone)
    }

    /// Executes a request in one transaction and returns the result.
    func attempt(_ request: WriteRequest) async throws -> WriteResult {
        let transaction = WriteTransaction(
            pool: pool, schema: store.schema, tokens: store.tokens, receiptKeys: try Self.keys(.assetReceipt),
            limits: Limits())
        return try await transaction.run([request], waiting: false)
    }

    /// Commits `requests` in one transaction, after extending the schema as needed. Returns the answers in the same
    /// order.
    @discardableResult
    func write(
        _ requests: WriteRequest..., receiptKeys: SigningKeys? = nil, limits: Limits = Limits()
    ) async throws -> (answers: [JSONValue], events: [ChangeEvent]) {
        let transaction = WriteTransaction(
            pool: pool, schema: store.schema, tokens: store.tokens,
            receiptKeys: try receiptKeys ?? Self.keys(.assetReceipt), limits: limits)
        var waiting = requests
        var answers: [MessageID: JSONValue] = [:]
        var events: [ChangeEvent] = []
        while !waiting.isEmpty {
            let result = try await transaction.run(waiting, waiting: false)
            for write in result.answered {
                answers[write.request.messageID] = try JSONValue(
                    parsing: write.answer(downloads: store.downloads, maxBytes: limits.maxAnswerBytes).body)
            }
            events += result.events
            for (request, additions) in result.awaitingSchema {
                try await store.schema.extend(request.zone.database.environment, by: additions)
            }
            waiting = result.returned + result.awaitingSchema.map(\.request)
        }
        return (try requests.map { try #require(answers[$0.messageID]) }, events)
    }

    /// Returns an operation of `records.modify`.
    func operation(
        _ kind: String, _ name: String, _ fields: [String: JSONValue] = [:], parent: String? = nil
    ) -> JSONValue {
        let values = fields.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, ["value": $0.value]) }
        var record: [JSONValue.Member] = [
            .init("recordName", .string(name)), .init("recordType", "Photo"), .init("fields", .object(values)),
        ]
        if let parent { record.append(.init("parent", ["recordName": .string(parent)])) }
        return ["operationType": .string(kind), "record": .object(record)]
    }

    /// Uploads content, and returns its blob and the value with which a save can refer to it.
    ///
    /// - Parameter isStored: whether the blob really exists.
    func upload(_ content: UInt8, isStored: Bool = true) async throws -> (blob: Int64, value: JSONValue) {
        let checksum = try #require(AssetChecksum(bytes: Array(repeating: content, count: 32)))
        var blob: Int64 = 1_000_000 + Int64(content)
        if isStored {
            let rows = try await superuser.withConnection { connection in
                try await connection.query(
                    """
                    insert into asset.blob (container, sha256, size, generation, receipt_until)
                    values ($1, $2, 5, gen_random_uuid(), now()) returning id
                    """, [.text(Self.container), .bytea(checksum.bytes)])
            }
            blob = try #require(rows.first?.int64(0))
        }
        let receipt = AssetReceipt(
            blob: blob, checksum: checksum, size: 5, scope: Self.scope,
            expiresAt: SystemClock.milliseconds() + 60_000)
        return (
            blob,
            [
                "fileChecksum": .string(checksum.fileChecksum), "size": 5,
                "receipt": .string(receipt.sealed(with: try Self.keys(.assetReceipt))),
                "referenceChecksum": "whatever the client says", "blob": 1,
            ]
        )
    }

    /// Returns the uses of blobs in the development environment, in order and in the form
    /// `record.field[position]=blob`.
    func uses() async throws -> [String] {
        try await query(
            """
            select u.record || '.' || u.field || '[' || u.position || ']=' || u.blob from record.asset_use u
            join record.environment e on e.id = u.environment where e.name = 'development' order by 1
            """
        ).map { $0.string(0) }
    }

    /// Runs a statement as the record service.
    @discardableResult
    func query(_ statement: PostgresStatement, _ parameters: [PostgresParameter] = []) async throws -> PostgresResult {
        try await pool.withConnection { try await $0.query(statement, parameters) }
    }
}
