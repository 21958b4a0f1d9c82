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

/// Repeatedly takes waiting requests, executes them in one transaction and answers them. A service runs a few lanes.
struct WriteLane: Sendable {
    let queue: WriteQueue
    let transaction: WriteTransaction
    let directory: ZoneDirectory
    /// The receiver of the writes whose zone has been deleted.
    let lookUp: ZoneLookUp
    /// The receiver of the writes that need types or fields that the schema lacks.
    let extender: SchemaExtender
    let partitions: TimePartitions
    let responder: Responder
    let unconfirmed: UnconfirmedAnswers
    let consumer: AMQPConsumer
    let faults: FaultSwitch
    let retry: DatabaseRetry
    let metrics: RecordMetrics
    let live: LiveRequests
    let logger: Logger

    /// Runs until the queue is finished and empty.
    func run() async {
        while let work = await queue.next() {
            // A log entry about a transaction with several requests does not name any of them.
            let origin = work.requests.count == 1 ? WorkOrigin(work.requests[0].context) : nil
            await WorkOrigin.$current.withValue(origin) { await execute(work) }
        }
    }

    private func execute(_ work: WriteQueue.Scheduler.Work) async {
        let requests = live.filter(work.requests).live
        do throws(ServiceStopping) {
            let result = try await commit(requests, waiting: work.waitsForLock)
            // The finished requests are answered first, so that they do not wait for the others.
            await answer(result)
            for request in result.zoneGone { directory.forget(request.zone.address) }
            lookUp.add(result.zoneGone.map(UnresolvedWrite.init))
            var awaiting: [ZoneRow: Int] = [:]
            for (request, _) in result.awaitingSchema { awaiting[request.zone.row, default: 0] += 1 }
            queue.release(work, returned: result.returned, skipped: result.skipped, awaitingSchema: awaiting)
            extender.add(result.awaitingSchema.map { AwaitingWrite(request: $0.request, additions: $0.additions) })
        } catch {
            // The service is shutting down. Unanswered requests return to the broker when the connection closes.
            queue.release(work)
        }
    }

    private func answer(_ result: WriteResult) async {
        await unconfirmed.send(
            result.answered, events: faults.published(result.events, of: result.answered.map(\.request)),
            with: responder, consumer: consumer)
    }

    /// Runs the transaction until it is committed or fails permanently. After a deadlock, a serialization failure or a
    /// loss of the database connection, the whole transaction is retried. After any other SQL error, the requests are
    /// executed one by one, to find the one that caused the error.
    private func commit(_ requests: [WriteRequest], waiting: Bool) async throws(ServiceStopping) -> WriteResult {
        var requests = requests
        var attempt = 0
        while !requests.isEmpty {
            do {
                let started = ContinuousClock.now
                faults.executing(requests)
                let result = try await transaction.run(requests, waiting: waiting)
                // Requests that will be retried are not counted, because no part of them was committed.
                faults.committed(result.answered.map(\.request))
                metrics.count(result, of: requests, took: ContinuousClock.now - started)
                return result
            } catch {
                attempt += 1
                switch retry.classify(error) {
                case .stop: throw ServiceStopping()
                case .retry where waiting && (error as? PostgresError)?.sqlState == .lockNotAvailable:
                    return missed(requests)
                case .retry: try await retry.pause(after: error, attempt: attempt)
                case .fail where (error as? PostgresError)?.isMissingPartition == true && attempt < 3:
                    await partitions.ensureNow()
                case .fail: return try await isolate(requests, waiting: waiting, error: error)
                }
                requests = live.filter(requests).live
            }
        }
        return WriteResult()
    }

    /// Returns the result for a zone whose lock another process held throughout the lane's wait. The zone is paused
    /// while the lane works on other zones.
    private func missed(_ requests: [WriteRequest]) -> WriteResult {
        var result = WriteResult()
        result.returned = requests
        result.skipped = Set(requests.map(\.zone.row))
        return result
    }

    /// Commits and answers one request after another.
    ///
    /// - Returns: a result with the requests that have not been answered.
    private func isolate(_ requests: [WriteRequest], waiting: Bool, error: any Error) async throws(ServiceStopping)
        -> WriteResult
    {
        metrics.batchesIsolated.increment()
        guard requests.count > 1 else { return fail(requests[0], error: error) }
        var whole = WriteResult()
        for request in requests {
            // The request might have expired while the previous answers waited for the broker.
            guard live.contains(request) else { continue }
            let one = try await commitAlone(request, waiting: waiting)
            await answer(one)
            whole.addUnanswered(of: one)
        }
        return whole
    }

    /// Commits one request. Log entries that are written during the commit contain the request's context.
    private func commitAlone(_ request: WriteRequest, waiting: Bool) async throws(ServiceStopping)
        -> WriteResult
    {
        do {
            return try await WorkOrigin.$current.withValue(WorkOrigin(request.context)) {
                try await commit([request], waiting: waiting)
            }
        } catch {
            // Only `ServiceStopping` can be thrown, but `withValue` does not declare its type.
            throw ServiceStopping()
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
}
