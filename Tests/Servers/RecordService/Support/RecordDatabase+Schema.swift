import AMQPClient
import CloudKitModel
import CloudKitSchema
import CloudKitWire
import Foundation
import PostgresClient
import RequestServing
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// A client of one instance of the service's parts. Several instances can use one database.
struct RecordClient: Sendable {
    let database: RecordDatabase
    /// The user; nil if no user has signed in.
    var user: String? = RecordDatabase.user
    var scope = "private"
    var environment = "development"

    /// The same client on another instance, whose cache is empty.
    var onAnotherInstance: RecordClient {
        var store = database.store
        store.directory = ZoneDirectory(pool: store.pool, createsContainers: false)
        store.schema = SchemaStore(pool: store.pool)
        store.indexes = QueryIndexes(pool: store.pool, reading: store.pool)
        return RecordClient(
            database: RecordDatabase(pool: database.pool, superuser: database.superuser, store: store),
            user: user, scope: scope, environment: environment)
    }

    func with(_ change: (inout RecordClient) -> Void) -> RecordClient {
        var client = self
        change(&client)
        return client
    }

    private var headers: AMQPTable {
        var headers: AMQPTable = [
            Header.container: .string(RecordDatabase.container), Header.environment: .string(environment),
            Header.database: .string(scope),
        ]
        if let user { headers[Header.user] = .string(user) }
        return headers
    }

    /// Returns the answer to a request that no lane executes.
    func ask(_ operation: ServiceMessages.Operation, _ body: JSONValue) async throws -> JSONValue {
        let properties = AMQPProperties(messageID: UUID().uuidString, headers: headers)
        let table = OperationTable(database.store, retry: RecordDatabase.retry)
        let delivery = AMQPDelivery(
            queue: operation.queue, deliveryTag: 1, exchange: operation.exchange, routingKey: operation.rawValue,
            properties: properties, body: body.encoded())
        let context = try RequestContext(properties, operation: operation)
        let answer = await table.answer(OpenedRequest(delivery: delivery, operation: operation, context: context))
        return try JSONValue(parsing: try #require(answer).body)
    }

    /// Sends an operator's request for the container.
    func operate(_ operation: ServiceMessages.Operation, _ body: [String: JSONValue] = [:]) async throws -> JSONValue {
        let members = body.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value) }
        return try await ask(
            operation, .object([.init("container", .string(RecordDatabase.container))] + members))
    }

    /// Sends `records.modify` for the default zone, and returns the first record of the answer.
    func modify(_ kind: String, _ type: String?, _ name: String, _ fields: JSONValue = [:]) async throws -> JSONValue {
        let values = (fields.members ?? []).map { JSONValue.Member($0.key, ["value": $0.value]) }
        let record: [JSONValue.Member] = [
            .init("recordName", .string(name)), .init("recordType", type.map { .string($0) } ?? nil),
            .init("fields", .object(values)),
        ].filter { !$0.value.isNull }
        let body = JSONValue.object([
            .init("operations", [["operationType": .string(kind), "record": .object(record)]])
        ]).encoded()
        let properties = AMQPProperties(messageID: UUID().uuidString, headers: headers)
        let context = try RequestContext(properties, operation: .recordsModify)
        let zone = try #require(
            try await database.store.directory.zone("_defaultZone", for: context, createDatabase: true))
        let request = WriteRequest(
            delivery: AMQPDelivery(queue: Queue.recordWrites, deliveryTag: 1, properties: properties, body: body),
            context: context, body: try ModifyRecordsRequest(decoding: body), bodyHash: Array(body.suffix(32)),
            zone: zone)
        let answers = try await database.write(request).answers
        return try #require(answers.first?["records"]?[0])
    }

    /// Sends `records.lookup` for the default zone, and returns the record or its error.
    func look(_ name: String) async throws -> JSONValue {
        let answer = try await ask(.recordsLookup, ["records": [["recordName": .string(name)]]])
        return try #require(answer["records"]?[0], "\(answer)")
    }

    /// Returns the names in the default zone's feed, from the beginning.
    func feed() async throws -> [String] {
        let answer = try await ask(.changesZone, ["zones": [["zoneID": ["zoneName": "_defaultZone"]]]])
        let records = try #require(answer["zones"]?[0]?["records"]?.array, "\(answer)")
        return records.compactMap { $0["recordName"]?.string }
    }

    /// Returns the environment's row.
    func environmentRow() async throws -> EnvironmentRow {
        let rows = try await database.query(
            "select e.id from record.environment e where e.name = $1", [.text(environment)])
        return EnvironmentRow(try #require(rows.first).int32(0))
    }

    /// Returns the schema in the database.
    func schema() async throws -> EnvironmentSchema {
        let environment = try await environmentRow()
        return try await database.pool.withConnection {
            try await SchemaStore(pool: database.pool).load(environment, on: $0)
        }
    }

    /// Replaces the schema with `definition`, as an import does.
    func replaceSchema(with definition: SchemaDefinition) async throws {
        let environment = try await environmentRow()
        try await database.pool.withTransaction { connection in
            _ = try await connection.pipeline([SchemaLock.exclusive(environment)])
            let present = try await SchemaStore(pool: database.pool).load(environment, on: connection)
            _ = try await SchemaTable(environment).replace(present, with: definition, on: connection)
            let schema = try await SchemaStore(pool: database.pool).load(environment, on: connection)
            try await IndexTable(environment).keep(indexesOf: schema, since: present, on: connection)
        }
    }
}

extension JSONValue {
    /// Returns the value of a record's field.
    func value(_ field: String) -> JSONValue? { self["fields"]?[field]?["value"] }
}
