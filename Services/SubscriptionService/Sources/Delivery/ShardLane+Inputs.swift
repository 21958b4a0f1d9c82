internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import CoreMetrics
internal import Foundation
internal import Logging
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// The inputs of a round.

extension ShardLane {
    /// Records an input in the shard's state.
    func handle(_ input: ShardInput, _ state: inout ShardState, _ group: inout DiscardingTaskGroup) {
        switch input {
        case .deliveries(let deliveries):
            for delivery in deliveries { add(delivery, &state) }
        case .moved(let moves, let done):
            // Moves from a previous connection are ignored: their zones have been discarded.
            for move in moves where state.zones[move.incarnation]?.move == move {
                endMove(move, isDone: done.contains(move.incarnation), &state, &group)
            }
        case .unmoved(let move):
            // The cursor has not changed: the next move begins at the same position, and nothing is repeated.
            guard state.zones[move.incarnation]?.move == move else { break }
            state.use(move.incarnation) { zone in
                zone.move = nil
                zone.failedMoves += 1
            }
            state.behind.insert(move.incarnation)
            backOff(move.incarnation, &state, &group)
        case .gapWaitEnded(let incarnation, let seq):
            // This input is ignored if the change has since arrived. Another instance may have delivered the shard's
            // changes in the meantime and moved the cursor. The cursor is therefore read again, unless this instance is
            // moving it or delivering the zone.
            guard state.zones[incarnation]?.search == .waiting(after: seq) else { break }
            state.use(incarnation) { zone in
                zone.search = .due
                if zone.move == nil, zone.delivery == nil { zone.isCursorKnown = false }
            }
        case .logRead(let incarnation, let result):
            if state.zones[incarnation] != nil { add(result, to: incarnation, &state) }
        case .backOffEnded(let incarnation):
            if state.zones[incarnation] != nil { state.use(incarnation) { $0.isBackingOff = false } }
        case .announced(let delivery): state.beginParticipants(delivery)
        case .costlyDelivered(let incarnation, let delivery, let outcome):
            guard state.endDelivery(delivery, of: incarnation) else { break }
            state.use(incarnation) { zone in
                guard let outcome else { return }
                let reached = outcome.reached[incarnation] ?? CursorTable.Cursor()
                zone.sequencer.deliver(upTo: reached.seq, at: reached.at)
                zone.progress = outcome.progress
                zone.isCostly = outcome.costly.contains(incarnation) || outcome.progress != nil
            }
            // During the pause, the other zones of the shard can continue.
            if outcome?.isPostponed == true { pause(incarnation, for: Self.postponement, &state, &group) }
            state.behind.insert(incarnation)
        case .retry: break
        }
    }

    private func add(_ delivery: AMQPDelivery, _ state: inout ShardState) {
        do {
            let change = try ZoneChange(
                JSONValue(parsing: delivery.body), trace: TraceParent(delivery.properties.headers))
            state.enter(generation: delivery.generation)
            state.use(change.incarnation) { $0.sequencer.offer(change, ticket: delivery) }
        } catch {
            metrics.malformed.increment()
            WorkOrigin.$current.withValue(WorkOrigin(delivery.properties)) {
                logger.error("a change event cannot be parsed", metadata: ["error": "\(error)"])
            }
            consumer.reject(delivery, requeue: false)
        }
    }

    private func endMove(
        _ move: CursorTable.Move, isDone: Bool, _ state: inout ShardState, _ group: inout DiscardingTaskGroup
    ) {
        guard var zone = state.zones[move.incarnation] else { return }
        zone.move = nil
        if isDone {
            zone.failedMoves = 0
            consumer.acknowledge(zone.sequencer.settle(upTo: move.to))
            state.behind.insert(move.incarnation)
            if zone.sequencer.firstReissued != nil { state.open.insert(move.incarnation) }
        } else {
            metrics.cursorConflicts.increment()
            zone.isCursorKnown = false
            zone.failedMoves += 1
            state.open.insert(move.incarnation)
        }
        state.zones[move.incarnation] = zone
        // Another instance has moved the cursor twice in a row. Without a pause, the two instances would repeat each
        // other's work.
        if zone.failedMoves > 1 { backOff(move.incarnation, &state, &group) }
    }
    private func add(
        _ result: Result<ChangeLogClient.Page, any Error>, to incarnation: UUID, _ state: inout ShardState
    ) {
        switch result {
        case .success(let page):
            metrics.logReads.increment()
            let maxHeld = state.maxHeld(prefetch: prefetch)
            state.use(incarnation) { zone in
                // A page that does not continue from the zone's position was requested before a reconnect, and is
                // ignored.
                let first = page.changes.first?.fromSeq ?? .max
                let continues = first <= zone.sequencer.delivered + 1
                // The number of a costly zone's waiting changes is limited, because the zone might have to wait for its
                // turn.
                let changes = zone.isCostly ? page.changes.prefix(maxHeld) : page.changes[...]
                if continues { for change in changes { zone.sequencer.offer(change) } }
                zone.failedReads = continues ? 0 : zone.failedReads + 1
                zone.search =
                    continues && (page.moreComing || changes.count < page.changes.count) ? .due : .idle
            }
        case .failure(is ChangeLogClient.ZoneUnknown):
            state.unknown.insert(incarnation)
        case .failure(let error):
            state.use(incarnation) { zone in
                zone.failedReads += 1
                zone.search = .idle
            }
            logger.warning("the change log cannot be read", metadata: ["error": "\(error)"])
        }
    }
}
