internal import AMQPClient
internal import CloudKitModel
internal import Logging
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages

/// Consumes the events for changes that dropped assets, and the deletion jobs for condemned blobs. Each of the two
/// queues is processed one message at a time. A message is acknowledged once its effects are committed and published.
struct DeletionWork: Service {
    let consumer: AMQPConsumer
    let marker: UnusedBlobMarker
    let deleter: Deleter
    let holders: HolderReconciler
    let retry: DatabaseRetry
    let logger: Logger

    /// Runs until the consumer has stopped and the service group stops this service.
    func run() async throws {
        // Changes and jobs have separate queues, so that a slow record service does not delay deletions.
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
        // A service group stops its services in order, and this service must run until the group stops it.
        try? await gracefulShutdown()
    }

    /// Executes a message and acknowledges it. Waits while the database is unavailable. Rejects a message that is
    /// malformed or fails permanently, so that it becomes a dead letter.
    func handle(_ delivery: AMQPDelivery) async {
        await WorkOrigin.$current.withValue(WorkOrigin(delivery.properties)) { await execute(delivery) }
    }

    private func execute(_ delivery: AMQPDelivery) async {
        do {
            try await retry.run(deadline: nil) {
                if delivery.queue == Queue.assetJobs {
                    try await deleter.delete(try DeletionJob(decoding: delivery.body).blob)
                } else {
                    let event = try ChangeEvent(decoding: delivery.body)
                    try await marker.handle(event)
                    try await holders.handle(event)
                }
            }
            consumer.acknowledge([delivery])
        } catch let error as ServerError {
            logger.error(
                "a message was rejected", metadata: ["queue": "\(delivery.queue)", "reason": "\(error.reasonCode)"])
            consumer.reject(delivery, requeue: false)
        } catch {
            // The service is stopping: the broker delivers the message to another instance.
        }
    }
}
