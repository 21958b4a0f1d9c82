internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import Logging
internal import RequestServing
internal import ServiceRuntime

/// Delivers the changes of one shard: a task that, round by round, takes whatever has come, brings each zone's changes
/// into order, publishes their notifications, moves the cursors, and acknowledges.
///
/// The order within a round is what makes nothing get lost: published and confirmed, then the cursors by
/// compare-and-set, then the acknowledgements. A crash anywhere in between repeats, and repeats are known by their id.
/// A cursor that another instance has moved (the shard was handed over while a round was under way) is read anew.
///
/// Trouble with one zone never holds up another: what cannot be delivered yet waits in its zone's sequencer while the
/// log is asked beside the rounds.
struct ShardLane: Sendable {
    /// How long what comes before a change may be late.
    static let patience = Duration.milliseconds(200)
    /// The longest wait between two questions to a log that does not answer.
    private static let maxWait = Duration.seconds(5)
    /// Reads of the log under way at once; each answer has up to 8 MiB.
    private static let maxReadings = 4

    let inbox = ShardInbox()
    let consumer: AMQPConsumer
    let cursors: CursorTable
    let notifier: Notifier
    let log: ChangeLogClient
    let trouble: DatabaseTrouble
    let clock: any Clock<Duration>
    let metrics: ServiceMetrics
    let logger: Logger

    /// Until the inbox is finished and empty. What is held then is not acknowledged, and another instance gets it.
    func run() async {
        await withDiscardingTaskGroup { group in
            var state = ShardState()
            while let inputs = await inbox.next() {
                do {
                    try await round(inputs, &state, &group)
                } catch is Withheld {
                    break
                } catch {
                    // Our mistake, and logged; what is held stays so, and is tried again.
                    logger.error("a round of a shard failed", metadata: ["error": "\(String(reflecting: error))"])
                    try? await clock.sleep(for: .seconds(1))
                    inbox.add(.again)
                }
            }
            group.cancelAll()
        }
    }

    private func round(
        _ inputs: [ShardInbox.Input], _ state: inout ShardState, _ group: inout DiscardingTaskGroup
    ) async throws {
        for input in inputs { take(input, &state) }
        try await readCursors(&state)
        let runs = state.open.compactMap { incarnation in
            state.zones[incarnation].map { (incarnation: incarnation, run: $0.sequencer.run()) }
        }
        try await deliver(runs.filter { !$0.run.changes.isEmpty }, &state)
        state.open = []
        for (incarnation, run) in runs { search(incarnation, for: run.obstacle, &state, &group) }
        state.endRound()
    }
}

// MARK: - What comes

extension ShardLane {
    private func take(_ input: ShardInbox.Input, _ state: inout ShardState) {
        switch input {
        case .deliveries(let deliveries):
            for delivery in deliveries { take(delivery, &state) }
        case .waited(let incarnation, let seq):
            // Unless the change has come meanwhile. The cursor may have been moved by an instance that had the shard.
            guard state.zones[incarnation]?.search == .waiting(after: seq) else { break }
            state.use(incarnation) { zone in
                zone.search = .due
                zone.isCursorKnown = false
            }
        case .read(let incarnation, let result):
            state.readings -= 1
            if state.zones[incarnation] != nil { take(result, of: incarnation, &state) }
        case .again: break
        }
    }

    private func take(_ delivery: AMQPDelivery, _ state: inout ShardState) {
        do {
            let change = try ZoneChange(JSONValue(parsing: delivery.body))
            state.enter(generation: delivery.generation)
            state.use(change.incarnation) { $0.sequencer.offer(change, ticket: delivery) }
        } catch {
            metrics.count(SubscriptionMetrics.malformed)
            logger.error("a change event cannot be read", metadata: ["error": "\(error)"])
            consumer.reject(delivery, requeue: false)
        }
    }

    private func take(
        _ result: Result<ChangeLogClient.Page, any Error>, of incarnation: UUID, _ state: inout ShardState
    ) {
        switch result {
        case .success(let page):
            metrics.count(SubscriptionMetrics.logReads)
            state.use(incarnation) { zone in
                // A page that does not go on where the zone stands is of no use: it was asked for before a reconnect.
                let first = page.changes.first?.fromSeq ?? .max
                let goesOn = first <= zone.sequencer.delivered + 1
                if goesOn { for change in page.changes { zone.sequencer.offer(change) } }
                zone.failures = goesOn ? 0 : zone.failures + 1
                zone.search = goesOn && page.moreComing ? .due : .idle
            }
        case .failure(is ChangeLogClient.ZoneUnknown):
            let zone = state.zones.removeValue(forKey: incarnation)
            var sequencer = zone?.sequencer
            consumer.acknowledge(sequencer?.settle(upTo: .max) ?? [])
            metrics.count(SubscriptionMetrics.zonesGivenUp)
            logger.warning("a zone is unknown; its changes are given up", metadata: ["incarnation": "\(incarnation)"])
        case .failure(let error):
            state.use(incarnation) { zone in
                zone.failures += 1
                zone.search = .idle
            }
            logger.warning("the change log cannot be read", metadata: ["error": "\(error)"])
        }
    }

    /// Tells open zones where their cursors stand; what was delivered before is acknowledged.
    private func readCursors(_ state: inout ShardState) async throws {
        let unknown = state.open.filter { state.zones[$0]?.isCursorKnown == false }
        let known =
            unknown.isEmpty ? [:] : try await trouble.outlast(deadline: nil) { try await cursors.read(unknown) }
        var repeats = 0
        for incarnation in state.open { repeats += settle(incarnation, upTo: known[incarnation] ?? 0, &state) }
        metrics.count(SubscriptionMetrics.repeats, by: repeats)
    }
}

// MARK: - What goes

extension ShardLane {
    private func deliver(
        _ runs: [(incarnation: UUID, run: ZoneSequencer<AMQPDelivery>.Run)], _ state: inout ShardState
    ) async throws {
        guard !runs.isEmpty else { return }
        try await notifier.notify(runs.flatMap(\.run.changes))
        let moves = runs.map { incarnation, run in
            CursorTable.Move(
                incarnation: incarnation, from: state.zones[incarnation]?.sequencer.delivered ?? 0, to: run.reached)
        }
        let moved = try await trouble.outlast(deadline: nil) { try await cursors.move(moves) }
        for move in moves {
            if moved.contains(move.incarnation) {
                settle(move.incarnation, upTo: move.to, &state)
            } else {
                metrics.count(SubscriptionMetrics.cursorConflicts)
                state.zones[move.incarnation]?.isCursorKnown = false
            }
        }
    }

    /// Notes how far a zone was delivered and acknowledges what is done.
    ///
    /// - Returns: how many deliveries that were.
    @discardableResult
    private func settle(_ incarnation: UUID, upTo seq: Int64, _ state: inout ShardState) -> Int {
        let deliveries = state.zones[incarnation]?.sequencer.settle(upTo: seq) ?? []
        state.zones[incarnation]?.isCursorKnown = true
        consumer.acknowledge(deliveries)
        return deliveries.count
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
        guard zone.isCursorKnown else {
            // Another instance has moved it.
            state.open.insert(incarnation)
            return inbox.add(.again)
        }
        let seq = zone.sequencer.delivered
        switch (obstacle, zone.search) {
        case (_, .reading), (.some, .waiting(after: seq)): break
        case (nil, _): (zone.search, zone.failures) = (.idle, 0)
        case (_, .due),
            (.unreadable, _) where zone.failures == 0:
            zone.search = .due
            // The next page that comes makes room.
            guard state.readings < Self.maxReadings else { return _ = state.open.insert(incarnation) }
            zone.search = .reading
            state.readings += 1
            group.addTask { [inbox, log] in
                do {
                    inbox.add(.read(incarnation, .success(try await log.changes(of: incarnation, after: seq))))
                } catch {
                    inbox.add(.read(incarnation, .failure(error)))
                }
            }
        default:
            zone.search = .waiting(after: seq)
            let wait = min(Self.patience * (1 << min(zone.failures, 10)), Self.maxWait)
            group.addTask { [inbox, clock] in
                try? await clock.sleep(for: wait)
                inbox.add(.waited(incarnation, after: seq))
            }
        }
    }
}
