internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import CoreMetrics
internal import Logging
internal import PostgresClient
internal import RequestServing
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
    /// Record writes whose zone is not there are its business.
    let zoneWrites: RequestWorkers
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
        let requests = dropExpired(work.requests)
        do throws(Withheld) {
            let result = try await commit(requests, waiting: work.waitsForLock)
            // First what is finished: nobody waits for others' trouble.
            let responses = result.answered.map {
                Response($0.request.delivery, $0.answer, requestID: $0.request.context.requestID)
            }
            let events = faults.published(result.events, of: work.requests)
            let isSuspect = work.requests.contains(where: \.isSuspect)
            if !responses.isEmpty, !isSuspect {
                responder.send(responses, events: events, consumer: consumer)
            } else if !responses.isEmpty {
                // The next suspect may end the process: this one's acknowledgement goes out before.
                await withCheckedContinuation { settled in
                    responder.send(responses, events: events, consumer: consumer) { settled.resume() }
                }
            }
            var returned = result.returned
            for request in result.homeless {
                if let moved = try await rehouse(request) { returned.append(moved) }
            }
            for (request, additions) in result.unlearnt {
                if let again = try await learn(additions, for: request) { returned.append(again) }
            }
            queue.release(work, returned: returned, skipped: result.skipped)
        } catch {
            // The service is ending: what is not answered goes back to the broker with the connection.
            queue.release(work)
        }
    }

    /// Runs the transaction until it is decided. Deadlocks, serialization failures and a lost database are tried
    /// again whole; another unexpected SQL error is found by running the requests one by one.
    private func commit(_ requests: [WriteRequest], waiting: Bool) async throws(Withheld) -> WriteTransaction.Result {
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
                    return busy(requests)
                case .transient: try await trouble.pause(after: error, attempt: attempt)
                case .fault where (error as? PostgresError)?.isMissingPartition == true && attempt < 3:
                    await partitions.ensureNow()
                case .fault: return try await isolate(requests, waiting: waiting, error: error)
                }
                requests = dropExpired(requests)
            }
        }
        return WriteTransaction.Result()
    }

    /// Others held the zone for as long as a transaction waits. Who waits for an answer is told; the others' requests
    /// wait on, and the lane is free for other zones meanwhile.
    private func busy(_ requests: [WriteRequest]) -> WriteTransaction.Result {
        var result = WriteTransaction.Result()
        for request in requests {
            if request.delivery.properties.replyTo?.isEmpty == false {
                let error = ServerError.zoneBusy(request.body.zoneID ?? .defaultZone)
                result.answered.append((request, Answer(error: error, context: request.context)))
            } else {
                result.returned.append(request)
                result.skipped.insert(request.zone.row)
            }
        }
        return result
    }

    private func isolate(_ requests: [WriteRequest], waiting: Bool, error: any Error) async throws(Withheld)
        -> WriteTransaction.Result
    {
        metrics.batchesIsolated.increment()
        guard requests.count > 1 else { return fail(requests[0], error: error) }
        var whole = WriteTransaction.Result()
        for request in requests {
            let one = try await commitAlone(request, waiting: waiting)
            whole.answered += one.answered
            whole.events += one.events
            whole.returned += one.returned
            whole.skipped.formUnion(one.skipped)
            whole.homeless += one.homeless
            whole.unlearnt += one.unlearnt
        }
        return whole
    }

    /// As ``commit(_:waiting:)``; what is logged meanwhile is about this request.
    private func commitAlone(_ request: WriteRequest, waiting: Bool) async throws(Withheld)
        -> WriteTransaction.Result
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

    private func fail(_ request: WriteRequest, error: any Error) -> WriteTransaction.Result {
        var result = WriteTransaction.Result()
        if (error as? PostgresError)?.isOfDeletedContainer == true {
            directory.forget(container: request.context.container)
            result.homeless = [request]
            return result
        }
        if (error as? PostgresError)?.isOfMissingBlob == true {
            result.answered = [(request, Answer(error: AssetRefusal.blobMissing.wholeError, context: request.context))]
            return result
        }
        WorkOrigin.$current.withValue(WorkOrigin(request.context)) {
            logger.error("a write failed unexpectedly", metadata: ["error": "\(error.logDescription)"])
        }
        result.answered = [(request, Answer(error: .internalError(), context: request.context))]
        return result
    }

    /// The zone's row is gone: there is another one under its name, or the request has no zone and is handed on (nil).
    private func rehouse(_ request: WriteRequest) async throws(Withheld) -> WriteRequest? {
        directory.forget(request.zone.address)
        return try await answeringErrors(of: request) {
            try await trouble.outlast(deadline: request.context.deadline) {
                let name = request.zone.address.zone
                guard let zone = try await directory.zone(name, for: request.context, createDatabase: true) else {
                    zoneWrites.submit(
                        OpenedRequest(
                            delivery: request.delivery, operation: .recordsModify, context: request.context))
                    return nil
                }
                var moved = request
                moved.zone = zone
                return moved
            }
        }
    }

    private func learn(_ additions: [SchemaAddition], for request: WriteRequest) async throws(Withheld) -> WriteRequest?
    {
        try await answeringErrors(of: request) {
            guard request.timesLearnt < Self.maxTimesLearnt else {
                throw ServerError.internalError(.schemaNotLearnt)
            }
            let isLearnt = try await trouble.outlast(deadline: request.context.deadline) {
                do {
                    try await schema.learn(additions, in: request.zone.database.environment)
                    return true
                } catch let error as PostgresError where error.isOfDeletedContainer {
                    return false
                }
            }
            guard isLearnt else {
                directory.forget(container: request.context.container)
                return try await rehouse(request)
            }
            var again = request
            again.timesLearnt += 1
            return again
        }
    }

    /// What `work` returns; nil when it failed and the request was answered so.
    private func answeringErrors(of request: WriteRequest, _ work: () async throws -> WriteRequest?)
        async throws(Withheld) -> WriteRequest?
    {
        do {
            return try await WorkOrigin.$current.withValue(WorkOrigin(request.context)) { try await work() }
        } catch let error as ServerError {
            let answer = Answer(error: error, context: request.context)
            responder.send(
                [Response(request.delivery, answer, requestID: request.context.requestID)], consumer: consumer)
            return nil
        } catch {
            throw Withheld()
        }
    }

    private func dropExpired(_ requests: [WriteRequest]) -> [WriteRequest] {
        let now = SystemClock.milliseconds()
        let expired = requests.filter { $0.context.isExpired(at: now) }
        guard !expired.isEmpty else { return requests }
        requestMetrics.expired(expired.count)
        consumer.acknowledge(expired.map(\.delivery))
        return requests.filter { !$0.context.isExpired(at: now) }
    }
}

extension PostgresError {
    /// A row found no partition: the clock ran ahead of the partitions made.
    fileprivate var isMissingPartition: Bool { sqlState == .checkViolation }

    /// The environment's table, or the row of its database, is gone with its container.
    var isOfDeletedContainer: Bool {
        sqlState == .undefinedTable || (sqlState == .foreignKeyViolation && !isOfMissingBlob)
    }
}
