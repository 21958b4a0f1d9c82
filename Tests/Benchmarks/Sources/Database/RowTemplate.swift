internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordService
internal import RecordStorage
internal import ServiceMessages

/// The rows that the record service stores for one save. Its own planner creates them once from a load's request. The
/// rows of a measurement are copies with different names, numbers and tags.
struct RowTemplate: Sendable {
    /// The record's row.
    let record: StoredRecord
    /// The request's outcome.
    let outcome: WriteOutcome
    /// The change to log.
    let change: ChangedRecord

    /// Plans a save of `sizeBytes` in the first zone of `database`, and extends the schema as needed.
    init(in database: LimitDatabase, sizeBytes: Int) async throws {
        let zone = database.zones[0]
        let body = LoadShape(operations: 1, sizeBytes: sizeBytes).body(
            zone: zone.address.zone.rawValue, namePrefix: "limits")
        let request = WriteRequest(
            delivery: AMQPDelivery(
                queue: Queue.recordWrites, deliveryTag: 1, properties: AMQPProperties(messageID: "template"), body: body
            ),
            context: database.context, body: try ModifyRecordsRequest(decoding: body), bodyHash: [], zone: zone)
        let (store, environment) = (SchemaStore(pool: database.pool), zone.database.environment)
        func read() async throws -> SchemaSnapshot {
            let schema = try await database.pool.withConnection { try await store.load(environment, on: $0) }
            return SchemaSnapshot(environments: [environment: schema])
        }
        var schema = try await read()
        if case (.needsSchema(let additions), _, _) = Self.plan(request, schema: schema) {
            try await store.extend(environment, by: additions)
            schema = try await read()
        }
        guard case (.decided(let outcome), let changes, let records) = Self.plan(request, schema: schema),
            let change = changes.first, let record = records.values.first
        else { throw LimitFailure("the planner does not save the record of a load") }
        (self.record, self.outcome, self.change) = (record, outcome, change)
    }

    private static func plan(
        _ request: WriteRequest, schema: SchemaSnapshot
    ) -> (BatchPlanner.Decision, [ChangedRecord], [RecordKey: StoredRecord]) {
        let view = BatchPlanner.SchemaView(
            named: { schema.type($0, in: $1) }, identified: { schema.type($0) })
        var planner = BatchPlanner(
            counters: [request.zone.row: 0], records: [:], omitted: [], schema: view,
            assets: AssetAdmission { _ in nil }, limits: Limits(), now: 0)
        let (decision, changes) = planner.decide(request)
        return (decision, changes, planner.records)
    }
}
