internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Logging
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// A write that is waiting for the schema to contain the types and fields that it needs.
struct AwaitingWrite: Sendable {
    let request: WriteRequest
    let additions: [SchemaAddition]
}

/// Extends schemas with the types and fields that writes need, concurrently with the lanes. One extension contains the
/// additions for all waiting writes of an environment. A few workers each extend the schema of one environment at a
/// time, and an environment whose schema is locked does not delay the others. The zones of the waiting writes remain
/// taken in the meantime.
final class SchemaExtender: Sendable {
    /// The number of environments whose schemas are extended concurrently.
    static let workers = 2
    /// The number of extensions after which a request that still has no outcome is refused, because it would never get
    /// one.
    private static let maxExtensions = 5

    private let schema: SchemaStore
    private let directory: ZoneDirectory
    private let queue: WriteQueue
    private let lookUp: ZoneLookUp
    private let responder: Responder
    private let consumer: AMQPConsumer
    private let live: LiveRequests
    private let retry: DatabaseRetry
    private let logger: Logger
    private let work = KeyedWork<EnvironmentRow, AwaitingWrite>(workers: workers, maxItems: 500)

    init(
        schema: SchemaStore, directory: ZoneDirectory, queue: WriteQueue, lookUp: ZoneLookUp, responder: Responder,
        consumer: AMQPConsumer, metrics: RequestMetrics, retry: DatabaseRetry, logger: Logger
    ) {
        self.schema = schema
        self.directory = directory
        self.queue = queue
        self.lookUp = lookUp
        self.responder = responder
        self.consumer = consumer
        live = LiveRequests(consumer: consumer, metrics: metrics)
        self.retry = retry
        self.logger = logger
    }

    /// Adds writes that have been passed to ``WriteQueue/release(_:returned:skipped:awaitingSchema:)`` as waiting for
    /// the schema.
    func add(_ writes: [AwaitingWrite]) {
        for (environment, writes) in Dictionary(grouping: writes, by: \.request.zone.database.environment) {
            work.add(writes, for: environment)
        }
    }

    /// Announces that no more writes will be added. ``run()`` returns when no writes are left.
    func finish() { work.finish() }

    /// Extends schemas until ``finish()`` has been called and no writes are left.
    func run() async {
        await work.run { [self] environment, writes in await extend(writes, in: environment) }
    }

    private func extend(_ writes: [AwaitingWrite], in environment: EnvironmentRow) async -> [AwaitingWrite] {
        let writes = writes.filter { !drop($0.request) }
        guard !writes.isEmpty else { return [] }
        do {
            try await schema.extend(environment, by: Self.merged(writes.map(\.additions)))
            for write in writes {
                var again = write.request
                again.schemaExtensions += 1
                queue.resume(again.zone.row, returned: again)
            }
            return []
        } catch {
            return await settle(writes, error, in: environment)
        }
    }

    private func settle(
        _ writes: [AwaitingWrite], _ error: any Error, in environment: EnvironmentRow
    ) async -> [AwaitingWrite] {
        if (error as? PostgresError)?.isOfDeletedContainer == true {
            for write in writes {
                directory.forget(container: write.request.context.container)
                lookUp.add([UnresolvedWrite(write.request)])
                queue.resume(write.request.zone.row, returned: nil)
            }
            return []
        }
        let reaction = error is ServerError ? nil : retry.classify(error)
        if reaction == .retry { return writes }
        if reaction == .stop {
            // Unanswered requests return to the broker when the connection closes.
            for write in writes { queue.resume(write.request.zone.row, returned: nil) }
            return []
        }
        // The addition of one of the writes might be invalid, so each write is tried separately.
        guard writes.count == 1 else {
            var again: [AwaitingWrite] = []
            for write in writes { again += await extend([write], in: environment) }
            return again
        }
        if reaction == .fail {
            logger.error("a schema could not be extended", metadata: ["error": "\(error.logDescription)"])
        }
        refuse(writes[0].request, error as? ServerError ?? .internalError())
        return []
    }

    /// Drops a request that has expired or whose connection was lost, and refuses one that has waited for too many
    /// extensions.
    ///
    /// - Returns: whether the request was dropped or refused.
    private func drop(_ request: WriteRequest) -> Bool {
        guard live.contains(request) else {
            queue.resume(request.zone.row, returned: nil)
            return true
        }
        guard request.schemaExtensions >= Self.maxExtensions else { return false }
        refuse(request, .internalError(.schemaNotLearnt))
        return true
    }

    private func refuse(_ request: WriteRequest, _ error: ServerError) {
        let answer = Answer(error: error, context: request.context)
        responder.send([Response(request.delivery, answer, requestID: request.context.requestID)], consumer: consumer)
        queue.resume(request.zone.row, returned: nil)
    }

    /// Merges additions into one per record type. If two additions declare a field with different types, the first one
    /// applies, and the request that contains the other is refused when it is executed again.
    private static func merged(_ additions: [[SchemaAddition]]) -> [SchemaAddition] {
        var types: [String: SchemaAddition] = [:]
        for addition in additions.joined() {
            types[addition.recordType, default: SchemaAddition(recordType: addition.recordType, fields: [:])]
                .fields.merge(addition.fields) { first, _ in first }
        }
        return types.values.sorted { $0.recordType < $1.recordType }
    }
}
