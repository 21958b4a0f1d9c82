internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import CoreMetrics
internal import Foundation
internal import Logging
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime
internal import SubscriptionStorage

/// Delivers the changes of one shard: a task that, round by round, takes whatever has come, brings each zone's changes
/// into order, publishes their notifications, has the cursors moved, and acknowledges.
///
/// The order is what makes nothing get lost: published and confirmed, then the cursors by compare-and-set, then the
/// acknowledgements. A crash anywhere in between repeats, and repeats are known by their id. The next round does not
/// wait for the cursors: what it publishes only comes after what was confirmed before it. A cursor that another instance
/// has moved (the shard was handed over while a round was under way) is read anew.
///
/// No zone delays another one: a change that cannot be delivered yet waits in its zone's sequencer while the log is read
/// beside the rounds, and a zone whose query subscriptions take much matching gets deliveries of its own there, one zone
/// of the shard at a time.
struct ShardLane: Sendable {
    /// How long what comes before a change may be late.
    static let patience = Duration.milliseconds(200)
    /// The longest wait between two questions to a log that does not answer, or two tries at a cursor.
    private static let maxWait = Duration.seconds(5)
    /// Events of a zone that may wait behind a gap; past it only the last is kept, lest one zone fill the prefetch.
    static let maxHeld = 20

    /// Changes that are delivered again where a cursor is lowered.
    private static let repeated: Int64 = 100

    let inputs = BatchQueue<ShardInput>()
    let consumer: AMQPConsumer
    /// Events of the shard that may be held at once.
    let prefetch: Int
    let cursors: CursorTable
    /// Shared by all lanes.
    let mover: CursorMover
    let notifier: Notifier
    let log: ChangeLogClient
    /// Shared by all lanes: how many read the log at once.
    let readings: AsyncSemaphore
    /// Shared by all lanes: how many deliveries of costly zones are made at once.
    let costly: AsyncSemaphore
    let trouble: DatabaseTrouble
    let clock: any Clock<Duration>
    let metrics: SubscriptionMetrics
    let logger: Logger

    /// Until the inputs are finished and empty. What is held then is not acknowledged, and another instance gets it.
    func run() async {
        await withDiscardingTaskGroup { group in
            var state = ShardState()
            while let batch = await inputs.next() {
                do {
                    try await round(batch, &state, &group)
                } catch is Withheld {
                    break
                } catch {
                    // Our mistake, and logged; what is held stays so, and is tried again.
                    logger.error("a round of a shard failed", metadata: ["error": "\(error.logDescription)"])
                    try? await clock.sleep(for: .seconds(1))
                    inputs.add(.again)
                }
            }
            group.cancelAll()
        }
    }

    private func round(
        _ batch: [ShardInput], _ state: inout ShardState, _ group: inout DiscardingTaskGroup
    ) async throws {
        for input in batch { take(input, &state, &group) }
        try await giveUpUnknown(&state)
        for incarnation in state.open where state.zones[incarnation]?.delivery != nil { thin(incarnation, &state) }
        state.open = state.open.filter { state.zones[$0]?.isResting == false && state.zones[$0]?.delivery == nil }
        try await readCursors(&state)
        try await lowerCursors(&state)
        // A zone whose cursor is still to be lowered is opened again when the move that is under way is over.
        let runs = state.open.compactMap { incarnation in
            state.zones[incarnation].flatMap { zone in
                zone.sequencer.overtaken == nil ? (incarnation: incarnation, run: zone.sequencer.run()) : nil
            }
        }
        try await deliver(
            runs.filter { !$0.run.changes.isEmpty && state.zones[$0.incarnation]?.isCostly == false }, &state)
        state.open = []
        let moves = state.takeMoves()
        if !moves.isEmpty { mover.move(moves, tell: inputs) }
        for (incarnation, run) in runs {
            let isDelivered = state.zones[incarnation]?.sequencer.delivered == run.reached
            if !isDelivered { state.enqueue(incarnation) }
            if isDelivered {
                search(incarnation, for: run.obstacle, &state, &group)
            } else if thin(incarnation, &state), state.zones[incarnation]?.sequencer.run().changes.isEmpty == true {
                search(incarnation, for: .gap, &state, &group)
            }
        }
        deliverCostly(&state, &group)
        state.endRound()
    }
}

// MARK: - What comes

extension ShardLane {
    private func take(_ input: ShardInput, _ state: inout ShardState, _ group: inout DiscardingTaskGroup) {
        switch input {
        case .deliveries(let deliveries):
            for delivery in deliveries { take(delivery, &state) }
        case .moved(let moves, let done):
            // Not those of a connection before, whose zones are forgotten.
            for move in moves where state.zones[move.incarnation]?.move == move {
                take(move, isDone: done.contains(move.incarnation), &state, &group)
            }
        case .unmoved(let move):
            // The cursor stands where it stood: the next try goes on from there, and nothing is repeated.
            guard state.zones[move.incarnation]?.move == move else { break }
            state.use(move.incarnation) { zone in
                zone.move = nil
                zone.failedMoves += 1
            }
            state.behind.insert(move.incarnation)
            rest(move.incarnation, &state, &group)
        case .waited(let incarnation, let seq):
            // Unless the change has come meanwhile. The cursor may have been moved by an instance that had the shard;
            // one that is being moved tells by itself.
            guard state.zones[incarnation]?.search == .waiting(after: seq) else { break }
            state.use(incarnation) { zone in
                zone.search = .due
                if zone.move == nil, zone.delivery == nil { zone.isCursorKnown = false }
            }
        case .read(let incarnation, let result):
            if state.zones[incarnation] != nil { take(result, of: incarnation, &state) }
        case .rested(let incarnation):
            if state.zones[incarnation] != nil { state.use(incarnation) { $0.isResting = false } }
        case .delivered(let incarnation, let delivery, let outcome):
            guard state.endDelivery(delivery, of: incarnation) else { break }
            state.use(incarnation) { zone in
                guard let outcome else { return }
                let reached = outcome.reached[incarnation] ?? CursorTable.Cursor()
                zone.sequencer.deliver(upTo: reached.seq, at: reached.at)
                zone.isCostly = outcome.costly.contains(incarnation)
            }
            state.behind.insert(incarnation)
        case .again: break
        }
    }

    private func take(_ delivery: AMQPDelivery, _ state: inout ShardState) {
        do {
            let change = try ZoneChange(
                JSONValue(parsing: delivery.body), trace: TraceParent(delivery.properties.headers))
            state.enter(generation: delivery.generation)
            state.use(change.incarnation) { $0.sequencer.offer(change, ticket: delivery) }
        } catch {
            metrics.malformed.increment()
            WorkOrigin.$current.withValue(WorkOrigin(delivery.properties)) {
                logger.error("a change event cannot be read", metadata: ["error": "\(error)"])
            }
            consumer.reject(delivery, requeue: false)
        }
    }

    private func take(
        _ move: CursorTable.Move, isDone: Bool, _ state: inout ShardState, _ group: inout DiscardingTaskGroup
    ) {
        guard var zone = state.zones[move.incarnation] else { return }
        zone.move = nil
        if isDone {
            zone.failedMoves = 0
            consumer.acknowledge(zone.sequencer.settle(upTo: move.to))
            state.behind.insert(move.incarnation)
            if zone.sequencer.overtaken != nil { state.open.insert(move.incarnation) }
        } else {
            metrics.cursorConflicts.increment()
            zone.isCursorKnown = false
            zone.failedMoves += 1
            state.open.insert(move.incarnation)
        }
        state.zones[move.incarnation] = zone
        // Twice in a row another has moved it: the two of them would only repeat each other.
        if zone.failedMoves > 1 { rest(move.incarnation, &state, &group) }
    }

    /// Leaves a zone alone for a moment, longer from failure to failure.
    private func rest(_ incarnation: UUID, _ state: inout ShardState, _ group: inout DiscardingTaskGroup) {
        let failures = state.zones[incarnation]?.failedMoves ?? 0
        state.zones[incarnation]?.isResting = true
        let wait = min(Self.patience * (1 << min(max(failures, 2) - 2, 10)), Self.maxWait)
        group.addTask { [inputs, clock] in
            try? await clock.sleep(for: wait)
            inputs.add(.rested(incarnation))
        }
    }

    private func take(
        _ result: Result<ChangeLogClient.Page, any Error>, of incarnation: UUID, _ state: inout ShardState
    ) {
        switch result {
        case .success(let page):
            metrics.logReads.increment()
            let maxHeld = state.maxHeld(prefetch: prefetch)
            state.use(incarnation) { zone in
                // A page that does not go on where the zone stands is of no use: it was asked for before a reconnect.
                let first = page.changes.first?.fromSeq ?? .max
                let goesOn = first <= zone.sequencer.delivered + 1
                // A costly zone may have to wait for its turn, and what waits is bounded.
                let changes = zone.isCostly ? page.changes.prefix(maxHeld) : page.changes[...]
                if goesOn { for change in changes { zone.sequencer.offer(change) } }
                zone.failures = goesOn ? 0 : zone.failures + 1
                zone.search = goesOn && (page.moreComing || changes.count < page.changes.count) ? .due : .idle
            }
        case .failure(is ChangeLogClient.ZoneUnknown):
            state.unknown.insert(incarnation)
        case .failure(let error):
            state.use(incarnation) { zone in
                zone.failures += 1
                zone.search = .idle
            }
            logger.warning("the change log cannot be read", metadata: ["error": "\(error)"])
        }
    }

    /// Forgets the zones that the record service does not know, with their cursors.
    private func giveUpUnknown(_ state: inout ShardState) async throws {
        // A move that is under way would bring the cursor back.
        let unknown = state.unknown.filter { state.zones[$0]?.move == nil && state.zones[$0]?.delivery == nil }
        guard !unknown.isEmpty else { return }
        try await trouble.outlast(deadline: nil) { try await cursors.remove(unknown) }
        for incarnation in unknown {
            var zone = state.zones.removeValue(forKey: incarnation)
            consumer.acknowledge(zone?.sequencer.settle(upTo: .max) ?? [])
            logger.warning("a zone is unknown; its changes are given up", metadata: ["incarnation": "\(incarnation)"])
        }
        state.unknown.subtract(unknown)
        metrics.zonesGivenUp.increment(by: unknown.count)
    }

    /// Tells open zones where their cursors stand; what was delivered before is acknowledged. A cursor may stand behind
    /// what was delivered (the database was restored, or failed over to a replica that lacked the last commits): from
    /// there it is repeated, since nothing else would ever meet the compare-and-set.
    private func readCursors(_ state: inout ShardState) async throws {
        let unknown = state.open.filter { state.zones[$0]?.isCursorKnown == false }
        let known =
            unknown.isEmpty ? [:] : try await trouble.outlast(deadline: nil) { try await cursors.read(unknown) }
        var repeats = 0
        for incarnation in state.open {
            let isUnknown = unknown.contains(incarnation)
            state.zones[incarnation]?.isCursorKnown = true
            let deliveries =
                isUnknown
                ? state.zones[incarnation]?.sequencer.place(
                    at: known[incarnation]?.seq ?? 0, at: known[incarnation]?.at ?? 0)
                : state.zones[incarnation]?.sequencer.settle(upTo: 0)
            consumer.acknowledge(deliveries ?? [])
            repeats += deliveries?.count ?? 0
        }
        metrics.repeats.increment(by: repeats)
    }

    /// Lowers the cursors that are ahead of their zones, whose databases have lost what was delivered: new changes have
    /// numbers that were delivered before. What comes before the first that is known may be new as well, so some of it is
    /// repeated.
    private func lowerCursors(_ state: inout ShardState) async throws {
        var cursors: [UUID: CursorTable.Cursor] = [:]
        for incarnation in state.open {
            // A move that is under way would bring the cursor back; it opens the zone again.
            guard let zone = state.zones[incarnation], zone.move == nil, let first = zone.sequencer.overtaken else {
                continue
            }
            cursors[incarnation] = CursorTable.Cursor(
                seq: max(0, first - 1 - Self.repeated), at: zone.sequencer.deliveredAt)
        }
        guard !cursors.isEmpty else { return }
        try await trouble.outlast(deadline: nil) { try await self.cursors.lower(cursors.mapValues(\.seq)) }
        for (incarnation, cursor) in cursors {
            consumer.acknowledge(
                state.zones[incarnation]?.sequencer.place(at: cursor.seq, at: cursor.at) ?? [])
            logger.warning(
                "changes that were delivered are missing from the zone; its cursor is lowered",
                metadata: ["incarnation": "\(incarnation)", "cursor": "\(cursor.seq)"])
        }
        metrics.cursorsLowered.increment(by: cursors.count)
    }
}

// MARK: - What goes

extension ShardLane {
    private func deliver(
        _ runs: [(incarnation: UUID, run: ZoneSequencer<AMQPDelivery>.Run)], _ state: inout ShardState
    ) async throws {
        guard !runs.isEmpty else { return }
        let changes = runs.flatMap(\.run.changes)
        let outcome: Notifier.Outcome
        do {
            outcome = try await notifier.notify(changes, within: .shared)
        } catch let error as Withheld {
            throw error
        } catch {
            // Our mistake, with one of them: each gets a delivery of its own, and the others are no longer concerned.
            logger.error("a round of a shard failed", metadata: ["error": "\(error.logDescription)"])
            for (incarnation, _) in runs { state.zones[incarnation]?.isCostly = true }
            return
        }
        metrics.notified(of: changes, outcome)
        for (incarnation, _) in runs {
            state.zones[incarnation]?.isCostly = outcome.costly.contains(incarnation)
            guard let reached = outcome.reached[incarnation] else { continue }
            state.zones[incarnation]?.sequencer.deliver(upTo: reached.seq, at: reached.at)
            state.behind.insert(incarnation)
        }
    }

    /// Begins the next delivery of a costly zone beside the rounds.
    private func deliverCostly(_ state: inout ShardState, _ group: inout DiscardingTaskGroup) {
        guard let next = state.beginDelivery() else { return }
        metrics.costlyDeliveries.increment()
        group.addTask { [inputs, notifier, costly, clock, metrics, logger] in
            let outcome = await costly.withPermit { () async -> Notifier.Outcome? in
                do {
                    return try await notifier.notify(next.changes, within: .alone)
                } catch is Withheld {
                    return nil
                } catch is RightsCheck.Postponed {
                    // The others get their turn; the pause is outside.
                    return nil
                } catch {
                    // Our mistake, and logged; the changes are kept and tried again.
                    logger.error("a delivery of a zone failed", metadata: ["error": "\(error.logDescription)"])
                    return nil
                }
            }
            if let outcome {
                metrics.notified(of: next.changes, outcome)
            } else {
                try? await clock.sleep(for: .seconds(1))
            }
            inputs.add(.delivered(next.incarnation, delivery: next.number, outcome))
        }
    }

    /// Leaves to the log most of what a costly zone holds, once that is much: it must not fill the prefetch.
    ///
    /// - Returns: whether the log is to be read for it.
    @discardableResult
    private func thin(_ incarnation: UUID, _ state: inout ShardState) -> Bool {
        let maxHeld = state.maxHeld(prefetch: prefetch)
        guard let zone = state.zones[incarnation], zone.sequencer.ticketCount > maxHeld else { return false }
        consumer.acknowledge(state.zones[incarnation]?.sequencer.thin() ?? [])
        if zone.search != .reading { state.zones[incarnation]?.search = .due }
        return true
    }
}

// MARK: - What is missing

extension ShardLane {
    /// Sees to it that what is missing is found: it may only be late, and else the log has it.
    private func search(
        _ incarnation: UUID, for obstacle: ZoneSequencer<AMQPDelivery>.Obstacle?, _ state: inout ShardState,
        _ group: inout DiscardingTaskGroup
    ) {
        guard var zone = state.zones[incarnation] else { return }
        defer { state.zones[incarnation] = zone }
        let seq = zone.sequencer.delivered
        switch (obstacle, zone.search) {
        case (_, .reading), (.some, .waiting(after: seq)): break
        case (nil, _): (zone.search, zone.failures) = (.idle, 0)
        case (_, .due),
            (.unreadable, _) where zone.failures == 0:
            zone.search = .reading
            group.addTask { [inputs, log, readings] in
                let page = await readings.withPermit { () async -> Result<ChangeLogClient.Page, any Error> in
                    do {
                        return .success(try await log.changes(of: incarnation, after: seq))
                    } catch {
                        return .failure(error)
                    }
                }
                inputs.add(.read(incarnation, page))
            }
        default:
            zone.search = .waiting(after: seq)
            let wait = min(Self.patience * (1 << min(zone.failures, 10)), Self.maxWait)
            group.addTask { [inputs, clock] in
                try? await clock.sleep(for: wait)
                inputs.add(.waited(incarnation, after: seq))
            }
        }
        if (obstacle == .gap && zone.search == .reading) || zone.sequencer.ticketCount > Self.maxHeld {
            consumer.acknowledge(zone.sequencer.thin())
        }
    }
}
