internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import CoreMetrics
internal import Logging
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime

/// Takes whatever waits into a transaction, answers, and takes the next. A service runs a few lanes.
struct WriteLane: Sendable {
    let queue: WriteQueue
    let transaction: WriteTransaction
    let directory: Directory
    /// Writes whose zone's row is gone are its business.
    let finding: ZoneFinding
    /// Writes of types and fields that the schema has not are its business.
    let learning: SchemaLearning
    let partitions: TimePartitions
    let responder: Responder
    let unconfirmed: UnconfirmedAnswers
    let consumer: AMQPConsumer
    let faults: FaultSwitch
    let trouble: DatabaseTrouble
    let metrics: RecordMetrics
    let requestMetrics: RequestMetrics
    let logger: Logger

    /// Until the queue is finished and empty.
    func run() async {
        while let work = await queue.next() {
            // What is logged of a transaction over several requests is about none of them.
            let origin = work.requests.count == 1 ? WorkOrigin(work.requests[0].context) : nil
            await WorkOrigin.$current.withValue(origin) { await execute(work) }
        }
    }

    private func execute(_ work: WriteQueue.Scheduler.Work) async {
        let requests = remaining(of: work.requests)
        do throws(Withheld) {
            let result = try await commit(requests, waiting: work.waitsForLock)
            // First what is finished: nobody waits for others' trouble.
            await answer(result)
            for request in result.zoneGone { directory.forget(request.zone.address) }
            finding.add(result.zoneGone.map(UnresolvedWrite.init))
            var learners: [ZoneRow: Int] = [:]
            for (request, _) in result.awaitingSchema { learners[request.zone.row, default: 0] += 1 }
            queue.release(work, returned: result.returned, skipped: result.skipped, learning: learners)
            learning.add(result.awaitingSchema.map { AwaitingWrite(request: $0.request, additions: $0.additions) })
        } catch {
            // The service is ending: what is not answered goes back to the broker with the connection.
            queue.release(work)
        }
    }

    private func answer(_ result: WriteResult) async {
        await unconfirmed.send(
            result.answered, events: faults.published(result.events, of: result.answered.map(\.request)),
            with: responder, consumer: consumer)
    }

    /// Runs the transaction until it is decided. Deadlocks, serialization failures and a lost database are tried
    /// again whole; another unexpected SQL error is found by running the requests one by one.
    private func commit(_ requests: [WriteRequest], waiting: Bool) async throws(Withheld) -> WriteResult {
        var requests = requests
        var attempt = 0
        while !requests.isEmpty {
            do {
                let started = ContinuousClock.now
                faults.executing(requests)
                let result = try await transaction.run(requests, waiting: waiting)
                // Not those that come again: their zone's lock was missed, or the schema has to learn first.
                faults.committed(result.answered.map(\.request))
                metrics.count(result, of: requests, took: ContinuousClock.now - started)
                return result
            } catch {
                attempt += 1
                switch trouble.verdict(on: error) {
                case .ending: throw Withheld()
                case .transient where waiting && (error as? PostgresError)?.sqlState == .lockNotAvailable:
                    return missed(requests)
                case .transient: try await trouble.pause(after: error, attempt: attempt)
                case .fault where (error as? PostgresError)?.isMissingPartition == true && attempt < 3:
                    await partitions.ensureNow()
                case .fault: return try await isolate(requests, waiting: waiting, error: error)
                }
                requests = remaining(of: requests)
            }
        }
        return WriteResult()
    }

    /// Others held the zone for as long as a lane waits: it rests, and the lane is free for other zones.
    private func missed(_ requests: [WriteRequest]) -> WriteResult {
        var result = WriteResult()
        result.returned = requests
        result.skipped = Set(requests.map(\.zone.row))
        return result
    }

    /// Commits and answers one request after the other.
    ///
    /// - Returns: what is still to be done.
    private func isolate(_ requests: [WriteRequest], waiting: Bool, error: any Error) async throws(Withheld)
        -> WriteResult
    {
        metrics.batchesIsolated.increment()
        guard requests.count > 1 else { return fail(requests[0], error: error) }
        var whole = WriteResult()
        for request in requests {
            // The answers before it may have waited for the broker.
            guard let request = remaining(of: [request]).first else { continue }
            let one = try await commitAlone(request, waiting: waiting)
            await answer(one)
            whole.addUnanswered(of: one)
        }
        return whole
    }

    /// As ``commit(_:waiting:)``; what is logged meanwhile is about this request.
    private func commitAlone(_ request: WriteRequest, waiting: Bool) async throws(Withheld)
        -> WriteResult
    {
        do {
            return try await WorkOrigin.$current.withValue(WorkOrigin(request.context)) {
                try await commit([request], waiting: waiting)
            }
        } catch {
            // Nothing else is thrown: the task-local's type does not say so.
            throw Withheld()
        }
    }

    private func fail(_ request: WriteRequest, error: any Error) -> WriteResult {
        var result = WriteResult()
        if (error as? PostgresError)?.isOfDeletedContainer == true {
            directory.forget(container: request.context.container)
            result.zoneGone = [request]
            return result
        }
        if (error as? PostgresError)?.isOfMissingBlob == true {
            result.answered = [AnsweredWrite(request, .refused(AssetRefusal.blobMissing.wholeError))]
            return result
        }
        WorkOrigin.$current.withValue(WorkOrigin(request.context)) {
            logger.error("a write failed unexpectedly", metadata: ["error": "\(error.logDescription)"])
        }
        result.answered = [AnsweredWrite(request, .refused(.internalError()))]
        return result
    }

    /// The requests that have neither expired nor lost their connection: the broker delivers those again.
    private func remaining(of requests: [WriteRequest]) -> [WriteRequest] {
        let now = SystemClock.milliseconds()
        var rest: [WriteRequest] = []
        var expired: [AMQPDelivery] = []
        var stale = 0
        for request in requests {
            if consumer.isStale(request.delivery) {
                stale += 1
            } else if request.context.isExpired(at: now) {
                expired.append(request.delivery)
            } else {
                rest.append(request)
            }
        }
        if stale > 0 { requestMetrics.wentBack(stale) }
        if !expired.isEmpty {
            requestMetrics.expired(expired.count)
            consumer.acknowledge(expired)
        }
        return rest
    }
}
