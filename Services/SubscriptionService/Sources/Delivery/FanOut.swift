internal import AMQPClient
internal import ServiceLifecycle

/// Spreads the changes that come over the lanes of their shards.
struct FanOut: Service {
    let consumer: AMQPConsumer
    let membership: Membership
    /// The lanes by the queues of their shards.
    let lanes: [String: ShardLane]
    /// The lanes' own.
    let mover: CursorMover

    /// Until the consumer ends and the lanes have done what can be done.
    func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask { await mover.run() }
            await runLanes()
            mover.finish()
        }
        // What waits behind a gap is another instance's now.
        consumer.finish()
        try? await gracefulShutdown()
    }

    private func runLanes() async {
        await withDiscardingTaskGroup { group in
            for lane in lanes.values { group.addTask { await lane.run() } }
            for await deliveries in consumer.batches {
                for (queue, deliveries) in Dictionary(grouping: deliveries, by: \.queue) {
                    lanes[queue]?.inputs.add(.deliveries(deliveries))
                    membership.noteDeliveries(from: queue)
                }
            }
            for lane in lanes.values { lane.inputs.finish() }
        }
    }
}
