internal import AMQPClient
internal import CloudKitModel
internal import Logging
internal import PostgresClient
internal import ServiceMessages
internal import ServiceRuntime

/// Takes whatever waits into a transaction, answers, and takes the next. A service runs a few lanes.
struct WriteLane: Sendable {
    /// A request whose types were learnt this often and is still not decided has met something we do not understand.
    private static let maxTimesLearnt = 5

    let queue: WriteQueue
    let transaction: WriteTransaction
    let directory: Directory
    let schema: SchemaStore
    let partitions: TimePartitions
    let responder: Responder
    let consumer: AMQPConsumer
    let faults: FaultSwitch
    let trouble: DatabaseTrouble
    let metrics: ServiceMetrics
    let logger: Logger

    /// Until the queue is finished and empty.
    func run() async {
        while let work = await queue.next() {
            await execute(work)
        }
    }

    private func execute(_ work: WriteQueue.Scheduler.Work) async {
        let requests = dropExpired(work.requests)
        guard !requests.isEmpty else { return queue.release(work) }
        faults.executing(requests)
        let result = await commit(requests, waiting: work.waitsForLock)
        var returned = result.returned
        var refused: [Responder.Response] = []
        for request in result.homeless {
            await rehouse(request, returned: &returned, refused: &refused)
        }
        await learn(result.unlearnt, returned: &returned, refused: &refused)
        let responses = result.answered.map { Responder.Response($0.request.delivery, $0.answer) } + refused
        if !responses.isEmpty {
            responder.send(responses, events: result.events) { consumer.acknowledge($0) }
        }
        queue.release(work, returned: returned, skipped: result.skipped)
    }

    /// Runs the transaction until it is decided. Deadlocks, serialization failures and a lost database are tried
    /// again whole; another unexpected SQL error is found by running the requests one by one.
    private func commit(_ requests: [WriteRequest], waiting: Bool) async -> WriteTransaction.Result {
        var attempt = 0
        while true {
            do {
                let started = ContinuousClock.now
                let now = SystemClock.milliseconds()
                let result = try await transaction.run(requests, waiting: waiting, now: now)
                faults.committed(requests)
                count(result, took: ContinuousClock.now - started)
                return result
            } catch let error as PostgresError where trouble.isTransient(error) {
                attempt += 1
                let alive = dropExpired(requests)
                guard !alive.isEmpty, await trouble.pause(after: error, attempt: attempt) else {
                    return WriteTransaction.Result()
                }
                if alive.count < requests.count { return await commit(alive, waiting: waiting) }
            } catch let error as PostgresError where error.isMissingPartition && attempt < 3 {
                attempt += 1
                await partitions.ensureNow()
            } catch {
                return await isolate(requests, waiting: waiting, error: error)
            }
        }
    }

    private func isolate(_ requests: [WriteRequest], waiting: Bool, error: any Error) async -> WriteTransaction.Result {
        metrics.count(ServiceMetrics.Series("zonda_batches_isolated_total"))
        guard requests.count > 1 else {
            return fail(requests[0], error: error)
        }
        var whole = WriteTransaction.Result()
        for request in requests {
            let one = await commit([request], waiting: waiting)
            whole.answered += one.answered
            whole.events += one.events
            whole.returned += one.returned
            whole.skipped.formUnion(one.skipped)
            whole.homeless += one.homeless
            whole.unlearnt += one.unlearnt
        }
        return whole
    }

    private func fail(_ request: WriteRequest, error: any Error) -> WriteTransaction.Result {
        var result = WriteTransaction.Result()
        if (error as? PostgresError)?.sqlState == .undefinedTable {
            // The environment's table is gone: its container was deleted.
            directory.forget(container: request.context.container)
            result.answered = [(request, Answer(error: .badContainer(request.context.container), context: request.context))]
            return result
        }
        logger.error(
            "a write failed unexpectedly",
            metadata: ["error": "\(String(reflecting: error))", "request": "\(request.context.requestID)"])
        result.answered = [(request, Answer(error: .internalError(), context: request.context))]
        return result
    }

    /// The zone's row is gone: there is another one under its name, or the request has no zone.
    private func rehouse(
        _ request: WriteRequest, returned: inout [WriteRequest], refused: inout [Responder.Response]
    ) async {
        directory.forget(request.zone.address)
        do throws(ServerError) {
            let zone = try await trouble.outlast(deadline: request.context.deadline) {
                try await directory.zone(request.zone.address.zone, for: request.context, createDatabase: true)
            }
            guard let zone else {
                throw .zoneNotFound(ZoneID(zoneName: ZoneName(unchecked: request.zone.address.zone)))
            }
            var moved = request
            moved.zone = zone
            returned.append(moved)
        } catch {
            refused.append(Responder.Response(request.delivery, Answer(error: error, context: request.context)))
        }
    }

    private func learn(
        _ unlearnt: [(request: WriteRequest, additions: [SchemaAddition])], returned: inout [WriteRequest],
        refused: inout [Responder.Response]
    ) async {
        let byEnvironment = Dictionary(grouping: unlearnt) { $0.request.zone.database.environment }
        for (environment, group) in byEnvironment {
            do throws(ServerError) {
                try await trouble.outlast(deadline: nil) {
                    try await schema.learn(group.flatMap(\.additions), in: environment)
                }
                for (request, _) in group {
                    var request = request
                    request.timesLearnt += 1
                    guard request.timesLearnt <= Self.maxTimesLearnt else { throw .internalError("schema_not_learnt") }
                    returned.append(request)
                }
            } catch {
                refused += group.map {
                    Responder.Response($0.request.delivery, Answer(error: error, context: $0.request.context))
                }
            }
        }
    }

    private func dropExpired(_ requests: [WriteRequest]) -> [WriteRequest] {
        let now = SystemClock.milliseconds()
        let expired = requests.filter { $0.context.isExpired(at: now) }
        guard !expired.isEmpty else { return requests }
        metrics.count(ServiceMetrics.Series("zonda_requests_expired_total"), by: expired.count)
        consumer.acknowledge(expired.map(\.delivery))
        return requests.filter { !$0.context.isExpired(at: now) }
    }

    private func count(_ result: WriteTransaction.Result, took: Duration) {
        metrics.count(ServiceMetrics.Series("zonda_write_transactions_total"))
        metrics.count(ServiceMetrics.Series("zonda_write_requests_total"), by: result.answered.count)
        metrics.count(ServiceMetrics.Series("zonda_changes_total"), by: result.effectiveOperations)
        metrics.count(ServiceMetrics.Series("zonda_zone_locks_missed_total"), by: result.skipped.count)
        metrics.count(
            ServiceMetrics.Series("zonda_write_transaction_microseconds_total"),
            by: Int(took.components.seconds * 1_000_000 + took.components.attoseconds / 1_000_000_000_000))
    }
}

extension PostgresError {
    /// A row found no partition: the clock ran ahead of the partitions made.
    fileprivate var isMissingPartition: Bool { sqlState == .checkViolation }
}
