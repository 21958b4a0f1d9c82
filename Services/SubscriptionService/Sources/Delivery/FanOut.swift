internal import AMQPClient
internal import ServiceLifecycle

/// Distributes change events to the lanes of their shards.
struct FanOut: Service {
    let consumer: AMQPConsumer
    let membership: Membership
    /// The lanes, keyed by the name of the shard's queue.
    let lanes: [String: ShardLane]
    /// The mover that the lanes share.
    let mover: CursorMover

    /// Runs until the consumer has ended and the lanes have finished their work.
    func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask { await mover.run() }
            await runLanes()
            mover.finish()
        }
        // Changes that are still waiting behind a gap are redelivered to another instance.
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
