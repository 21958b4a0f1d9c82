internal import AMQPClient
internal import CoreMetrics
internal import Foundation
internal import Logging
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime
internal import SubscriptionStorage

/// Delivers the changes of one shard. Its task works in rounds: it takes all inputs that have arrived, puts each zone's
/// changes in order, publishes their notifications, moves the zones' cursors, and acknowledges the deliveries.
///
/// This order prevents losses: publish and confirm, then move the cursors by compare-and-set, then acknowledge. A crash
/// at any point leads to repeats, which consumers recognize by their ids. The next round does not wait for the cursors,
/// because it publishes only changes that follow the confirmed changes. If another instance has moved a cursor, because
/// it took over the shard during a round, the cursor is read again.
///
/// No zone delays another. A change that cannot be delivered yet waits in its zone's sequencer while the change log is
/// read concurrently with the rounds. A costly zone, whose subscriptions require a lot of matching or whose participants
/// are not known, is also delivered concurrently with the rounds, and takes turns with the other costly zones of the
/// shard (``SeparateDelivery``).
struct ShardLane: Sendable {
    /// How long the lane waits for a missing change before it reads the change from the change log.
    static let patience = Duration.milliseconds(200)
    /// The maximum wait before a failed read of the change log or a failed move of a cursor is retried.
    static let maxWait = Duration.seconds(5)
    /// The pause of a zone after the record service did not answer a question about its participants or rights, and
    /// after a defect.
    static let postponement = Duration.seconds(1)
    /// The maximum number of a zone's events that can wait behind a gap. If there are more events, only the last event
    /// is kept, so that one zone cannot use up the prefetch limit.
    static let maxHeld = 20

    let inputs = BatchQueue<ShardInput>()
    let consumer: AMQPConsumer
    /// The maximum number of the shard's events that are held simultaneously.
    let prefetch: Int
    let cursors: CursorTable
    /// The part that moves the cursors of all lanes.
    let mover: CursorMover
    let notifier: Notifier
    let log: ChangeLogClient
    /// The limit on concurrent reads of the change log; shared by all lanes.
    let logReads: AsyncSemaphore
    /// The limit on concurrent deliveries of costly zones; shared by all lanes.
    let costlyDeliveries: AsyncSemaphore
    /// The time after which a turn ends with the current page of participants, so that other zones get their turns.
    var turnTime = Duration.seconds(1)
    let retry: DatabaseRetry
    let clock: any Clock<Duration>
    let metrics: SubscriptionMetrics
    let logger: Logger

    /// Runs until the inputs have ended and have been processed. Deliveries that are still held are not acknowledged,
    /// so the broker redelivers them to another instance.
    func run() async {
        await withDiscardingTaskGroup { group in
            var state = ShardState()
            while let batch = await inputs.next() {
                do {
                    try await round(batch, &state, &group)
                } catch is ServiceStopping {
                    break
                } catch {
                    // A defect. The held changes are kept, and the round is retried.
                    logger.error("a delivery round failed for a shard", metadata: ["error": "\(error.logDescription)"])
                    try? await clock.sleep(for: .seconds(1))
                    inputs.add(.retry)
                }
            }
            group.cancelAll()
        }
    }

    private func round(
        _ batch: [ShardInput], _ state: inout ShardState, _ group: inout DiscardingTaskGroup
    ) async throws {
        for input in batch { handle(input, &state, &group) }
        try await dropUnknownZones(&state)
        for incarnation in state.open where state.zones[incarnation]?.waitsForSeparateDelivery == true {
            releaseHeld(incarnation, &state)
        }
        state.open = state.open.filter { state.zones[$0]?.isBackingOff == false && state.zones[$0]?.delivery == nil }
        try await readCursors(&state)
        try await lowerCursors(&state)
        // A zone whose cursor still has to be lowered is skipped. It is reopened when its current move ends.
        let runs = state.open.compactMap { incarnation in
            state.zones[incarnation].flatMap { zone in
                zone.sequencer.firstReissued == nil ? (incarnation: incarnation, run: zone.sequencer.run()) : nil
            }
        }
        try await deliver(
            runs.filter { !$0.run.changes.isEmpty && state.zones[$0.incarnation]?.isCostly == false }, &state)
        state.open = []
        let moves = state.takeMoves()
        if !moves.isEmpty { mover.move(moves, tell: inputs) }
        for (incarnation, run) in runs {
            let isDelivered = state.zones[incarnation]?.sequencer.delivered == run.reached
            if !isDelivered { state.enqueueCostly(incarnation) }
            if isDelivered {
                closeGap(incarnation, run.obstacle, &state, &group)
            } else if releaseHeld(incarnation, &state),
                state.zones[incarnation]?.sequencer.run().changes.isEmpty == true
            {
                closeGap(incarnation, .gap, &state, &group)
            }
        }
        deliverCostly(&state, &group)
        state.endRound()
    }
}
