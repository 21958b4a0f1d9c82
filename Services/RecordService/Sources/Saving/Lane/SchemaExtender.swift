internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Logging
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// A write that waits until the schema has learnt something.
struct AwaitingWrite: Sendable {
    let request: WriteRequest
    let additions: [SchemaAddition]
}

/// Has schemas learn what writes need, beside the lanes: all that waits for an environment at once, one environment after
/// the other by a few workers, and none waits for another's lock. The zones of these writes stay as they are meanwhile.
final class SchemaLearning: Sendable {
    /// Environments at once.
    static let workers = 2
    /// A request whose types were learnt this often and is still not decided has met something we do not understand.
    private static let maxTimesLearnt = 5

    private let schema: SchemaStore
    private let directory: Directory
    private let queue: WriteQueue
    private let finding: ZoneFinding
    private let responder: Responder
    private let consumer: AMQPConsumer
    private let metrics: RequestMetrics
    private let trouble: DatabaseTrouble
    private let logger: Logger
    private let work = KeyedWork<EnvironmentRow, AwaitingWrite>(workers: workers, maxItems: 500)

    init(
        schema: SchemaStore, directory: Directory, queue: WriteQueue, finding: ZoneFinding, responder: Responder,
        consumer: AMQPConsumer, metrics: RequestMetrics, trouble: DatabaseTrouble, logger: Logger
    ) {
        self.schema = schema
        self.directory = directory
        self.queue = queue
        self.finding = finding
        self.responder = responder
        self.consumer = consumer
        self.metrics = metrics
        self.trouble = trouble
        self.logger = logger
    }

    /// Adds writes whose zones were released as learning (``WriteQueue/release(_:returned:skipped:learning:)``).
    func add(_ writes: [AwaitingWrite]) {
        for (environment, writes) in Dictionary(grouping: writes, by: \.request.zone.database.environment) {
            work.add(writes, for: environment)
        }
    }

    /// No more will be added: ``run()`` ends when all is learnt.
    func finish() { work.finish() }

    /// Until finished and everything is learnt.
    func run() async {
        await work.run { [self] environment, writes in await learn(writes, in: environment) }
    }

    private func learn(_ writes: [AwaitingWrite], in environment: EnvironmentRow) async -> [AwaitingWrite] {
        let writes = writes.filter { !drop($0.request) }
        guard !writes.isEmpty else { return [] }
        do {
            try await schema.learn(Self.merged(writes.map(\.additions)), in: environment)
            for write in writes {
                var again = write.request
                again.timesLearnt += 1
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
                finding.add([UnresolvedWrite(write.request)])
                queue.resume(write.request.zone.row, returned: nil)
            }
            return []
        }
        let verdict = error is ServerError ? nil : trouble.verdict(on: error)
        if verdict == .transient { return writes }
        if verdict == .ending {
            // What is not answered goes back to the broker with the connection.
            for write in writes { queue.resume(write.request.zone.row, returned: nil) }
            return []
        }
        // One of several may be what cannot be learnt.
        guard writes.count == 1 else {
            var again: [AwaitingWrite] = []
            for write in writes { again += await learn([write], in: environment) }
            return again
        }
        if verdict == .fault {
            logger.error("a schema could not learn", metadata: ["error": "\(error.logDescription)"])
        }
        refuse(writes[0].request, error as? ServerError ?? .internalError())
        return []
    }

    /// Drops a request that has expired or whose connection is gone, since the broker delivers it again, and refuses one that
    /// was here too often.
    private func drop(_ request: WriteRequest) -> Bool {
        if consumer.isStale(request.delivery) {
            metrics.wentBack()
            queue.resume(request.zone.row, returned: nil)
            return true
        }
        if request.context.isExpired(at: SystemClock.milliseconds()) {
            metrics.expired()
            consumer.acknowledge([request.delivery])
            queue.resume(request.zone.row, returned: nil)
            return true
        }
        guard request.timesLearnt >= Self.maxTimesLearnt else { return false }
        refuse(request, .internalError(.schemaNotLearnt))
        return true
    }

    private func refuse(_ request: WriteRequest, _ error: ServerError) {
        let answer = Answer(error: error, context: request.context)
        responder.send([Response(request.delivery, answer, requestID: request.context.requestID)], consumer: consumer)
        queue.resume(request.zone.row, returned: nil)
    }

    /// One addition for each type. Of two types of a field the first counts: the request with the other is refused when it
    /// is decided again.
    private static func merged(_ additions: [[SchemaAddition]]) -> [SchemaAddition] {
        var types: [String: SchemaAddition] = [:]
        for addition in additions.joined() {
            types[addition.recordType, default: SchemaAddition(recordType: addition.recordType, fields: [:])]
                .fields.merge(addition.fields) { first, _ in first }
        }
        return types.values.sorted { $0.recordType < $1.recordType }
    }
}
