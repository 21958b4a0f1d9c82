internal import AMQPClient
internal import CloudKitModel
internal import Logging
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages

/// Takes changes that dropped assets, and alarms of condemned blobs, each kind one after another. A message is
/// acknowledged when what it led to is committed and published.
struct DeletionWork: Service {
    let consumer: AMQPConsumer
    let condemner: Condemner
    let deleter: Deleter
    let holders: HolderCount
    let trouble: DatabaseTrouble
    let logger: Logger

    /// Until the consumer ends.
    func run() async throws {
        // A record service that is slow to answer does not hold up deletions.
        let changes = WorkQueue<AMQPDelivery>()
        let jobs = WorkQueue<AMQPDelivery>()
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await deliveries in consumer.batches {
                    for delivery in deliveries { (delivery.queue == Queue.assetJobs ? jobs : changes).add(delivery) }
                }
                changes.finish()
                jobs.finish()
            }
            for queue in [changes, jobs] {
                group.addTask { while let delivery = await queue.next() { await handle(delivery) } }
            }
        }
        // The group stops its services in order, and this one waits for its turn.
        try? await gracefulShutdown()
    }

    /// Does what a message asks for, and settles it. A database that is away is waited for. What cannot be read, or fails
    /// for good, goes to the dead letters.
    func handle(_ delivery: AMQPDelivery) async {
        await WorkOrigin.$current.withValue(WorkOrigin(delivery.properties)) { await execute(delivery) }
    }

    private func execute(_ delivery: AMQPDelivery) async {
        do {
            try await trouble.outlast(deadline: nil) {
                if delivery.queue == Queue.assetJobs {
                    try await deleter.delete(try DeletionJob(decoding: delivery.body).blob)
                } else {
                    let event = try ChangeEvent(decoding: delivery.body)
                    try await condemner.take(event)
                    try await holders.take(event)
                }
            }
            consumer.acknowledge([delivery])
        } catch let error as ServerError {
            logger.error(
                "a message is given up", metadata: ["queue": "\(delivery.queue)", "reason": "\(error.reasonCode)"])
            consumer.reject(delivery, requeue: false)
        } catch {
            // The service is ending: the broker gives it to another.
        }
    }
}
