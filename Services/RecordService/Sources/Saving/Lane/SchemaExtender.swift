internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Logging
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// A write that waits until the schema has what it needs.
struct AwaitingWrite: Sendable {
    let request: WriteRequest
    let additions: [SchemaAddition]
}

/// Extends schemas by what writes need, beside the lanes: by what all waiting writes of an environment need at once,
/// one environment after another in a few workers, none of which waits for another's lock. The zones of these writes
/// stay taken meanwhile.
final class SchemaExtender: Sendable {
    /// The number of environments that are extended concurrently.
    static let workers = 2
    /// The number of extensions after which a request that is still undecided is refused, because something is wrong
    /// with it.
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

    /// Adds writes whose zones were released as awaiting a schema
    /// (``WriteQueue/release(_:returned:skipped:awaitingSchema:)``).
    func add(_ writes: [AwaitingWrite]) {
        for (environment, writes) in Dictionary(grouping: writes, by: \.request.zone.database.environment) {
            work.add(writes, for: environment)
        }
    }

    /// Announces that no writes will be added; ``run()`` ends when every schema is extended.
    func finish() { work.finish() }

    /// Runs until every schema is extended after ``finish()``.
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
            // Unanswered requests return to the broker with the connection.
            for write in writes { queue.resume(write.request.zone.row, returned: nil) }
            return []
        }
        // The addition of one of them may be invalid.
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

    /// Drops a request that has expired, or whose connection is gone so that the broker redelivers it, and refuses one
    /// that was here too often.
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

    /// Merges additions to one for each type. Of two types for a field the first applies; the request with the other is
    /// refused when it is decided again.
    private static func merged(_ additions: [[SchemaAddition]]) -> [SchemaAddition] {
        var types: [String: SchemaAddition] = [:]
        for addition in additions.joined() {
            types[addition.recordType, default: SchemaAddition(recordType: addition.recordType, fields: [:])]
                .fields.merge(addition.fields) { first, _ in first }
        }
        return types.values.sorted { $0.recordType < $1.recordType }
    }
}
