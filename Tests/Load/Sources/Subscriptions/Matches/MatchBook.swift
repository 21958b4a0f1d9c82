import CommandLineSession
import ServiceMessages
import Synchronization

/// The state that the writers, subscriptions and listeners of a load share. May be used on any thread.
final class MatchBook: Sendable {
    private struct State {
        var writers: [WriterProgress]
        var ledgers: [MatchLedger]
        var latencies = LatencyHistogram()
        var malformed = 0
        var changes = 0
    }

    /// An upper bound on the number of changes of a writer. Records with a higher number belong to no writer.
    private static let maxRecords = 1 << 40

    /// The plan.
    let plan: MatchPlan
    /// The subscriptions, in the order of their ledgers.
    let subscriptions: [MatchedSubscription]
    private let byID: [String: Int]
    /// The subscriptions of each database.
    private let byDatabase: [[Int]]
    private let state: Mutex<State>
    /// Yields when a message has arrived or a change has been made.
    private let rings: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    /// Creates the state before the first change and the first subscription.
    init(_ plan: MatchPlan) {
        let subscriptions = plan.matchedSubscriptions
        self.plan = plan
        self.subscriptions = subscriptions
        byID = Dictionary(uniqueKeysWithValues: subscriptions.enumerated().map { ($0.element.id, $0.offset) })
        byDatabase = (0...plan.users).map { database in
            subscriptions.indices.filter { subscriptions[$0].database == database }
        }
        state = Mutex(
            State(
                writers: Array(repeating: WriterProgress(), count: plan.writers),
                ledgers: subscriptions.map(MatchLedger.init)))
        (rings, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: Writers

    /// Returns the writer's next changes, and records that they are in progress.
    func begin(_ writer: Int) -> [MatchChange] {
        state.withLock { $0.writers[writer].begin(writer, operations: plan.operations) }
    }

    /// Records that a writer's changes in progress were acknowledged.
    func done(_ changes: [MatchChange], by writer: Int, at now: ContinuousClock.Instant) {
        state.withLock { state in
            state.writers[writer].finish()
            for change in changes { note(change, at: now, &state) }
        }
    }

    /// Records that a writer's changes in progress failed.
    func failed(_ changes: [MatchChange], by writer: Int) {
        state.withLock { $0.writers[writer].fail(changes, operations: plan.operations) }
    }

    /// The changes with an unknown outcome.
    var unknown: [MatchChange] {
        state.withLock { state in
            state.writers.enumerated().flatMap { writer, progress in
                progress.unknown.sorted().map { MatchChange(writer: writer, number: $0) }
            }
        }
    }

    /// Records the outcome of a change whose outcome was unknown.
    func resolve(_ change: MatchChange, isDone: Bool) {
        state.withLock { state in
            state.writers[change.writer].resolve(change.number, isDone: isDone, operations: plan.operations)
            if isDone {
                note(change, at: nil, &state)
            } else {
                let facts = MatchFacts(change, plan)
                for index in byDatabase[facts.place.database] { state.ledgers[index].undone(change) }
            }
        }
        bell.yield()
    }

    private func note(_ change: MatchChange, at now: ContinuousClock.Instant?, _ state: inout State) {
        let facts = MatchFacts(change, plan)
        state.changes += 1
        for index in byDatabase[facts.place.database] {
            if let latency = state.ledgers[index].done(change, facts, at: now) { state.latencies.record(latency) }
        }
    }

    // MARK: Subscriptions

    /// Records that the requests to save subscriptions are about to be sent.
    func isSending(_ ids: [String]) {
        update(ids) { ledger, writers in ledger.isSending(after: writers.map(\.answered)) }
    }

    /// Records that subscriptions were saved.
    func isSaved(_ ids: [String]) {
        update(ids) { ledger, writers in ledger.isAnswered(before: writers.map(\.sent)) }
    }

    /// Records that subscriptions were refused.
    func isRefused(_ ids: [String]) { update(ids) { ledger, _ in ledger.isRefused() } }

    private func update(_ ids: [String], _ change: (inout MatchLedger, [WriterProgress]) -> Void) {
        state.withLock { state in
            for id in ids {
                guard let index = byID[id] else { continue }
                change(&state.ledgers[index], state.writers)
            }
        }
    }

    /// For the id of each subscription that was certainly saved: whether the subscription must still exist.
    var listed: [String: Bool] {
        state.withLock { state in
            Dictionary(
                uniqueKeysWithValues: state.ledgers.filter(\.isSaved).map { ($0.subscription.id, !$0.hasFired) })
        }
    }

    // MARK: Listeners

    /// Records a message.
    ///
    /// - Parameter now: the time of its arrival.
    func hear(_ body: [UInt8], at now: ContinuousClock.Instant) {
        guard let notification = try? ZoneNotification(body), let id = notification.subscriptionID,
            let index = byID[id], let changes = changes(notification, of: subscriptions[index])
        else { return state.withLock { $0.malformed += 1 } }
        state.withLock { state in
            let message = MatchLedger.Message(
                id: notification.id, incarnation: notification.incarnation, toSeq: notification.toSeq,
                changes: changes.map { change in
                    guard let change else { return nil }
                    let fate = state.writers[change.writer].fate(change, operations: plan.operations)
                    return (change, MatchFacts(change, plan), fate)
                })
            for latency in state.ledgers[index].hear(message, at: now) { state.latencies.record(latency) }
        }
        bell.yield()
    }

    /// Returns the changes in a message, with nil for each change that no writer makes. Returns nil if the message does
    /// not have the form that its kind of subscription requires.
    private func changes(
        _ notification: ZoneNotification, of subscription: MatchedSubscription
    ) -> [MatchChange?]? {
        guard notification.part == subscription.part, let records = notification.records else { return nil }
        if subscription.isQuery {
            guard records.count == 1, notification.fromSeq == notification.toSeq,
                notification.query == ZoneNotification.Query(records[0])
            else { return nil }
        }
        return records.map { change in
            guard let record = plan.names.record(named: change.recordName), (0..<plan.writers).contains(record.slot),
                (0..<Self.maxRecords).contains(record.index),
                plan.zoneName(plan.place(ofWriter: record.slot)) == notification.zone
            else { return nil }
            return MatchChange(change.kind, of: record, operations: plan.operations)
        }
    }

    /// The number of changes whose notifications have not arrived.
    var awaited: Int { state.withLock { $0.ledgers.reduce(0) { $0 + $1.awaited } } }

    /// Waits for all expected notifications.
    ///
    /// - Returns: whether they arrived before `limit` passed.
    func settle(within limit: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { [self] in
                bell.yield()
                for await _ in rings where awaited == 0 { return true }
                return false
            }
            group.addTask {
                try? await ContinuousClock().sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    // MARK: Results

    /// The findings of all subscriptions.
    var findings: MatchFindings {
        state.withLock { $0.ledgers.reduce(into: MatchFindings()) { $0 += $1.findings } }
    }

    /// The number of saved subscriptions and the findings, for each kind.
    var findingsByKind: [(kind: MatchedSubscription.Kind, saved: Int, findings: MatchFindings)] {
        state.withLock { state in
            plan.kinds.map { kind in
                let ledgers = state.ledgers.filter { $0.subscription.kind == kind && $0.isSaved }
                return (kind, ledgers.count, ledgers.reduce(into: MatchFindings()) { $0 += $1.findings })
            }
        }
    }

    /// The number of changes, the times from each change's answer to its message, and the number of invalid messages.
    var results: (changes: Int, latencies: LatencyHistogram, malformed: Int) {
        state.withLock { ($0.changes, $0.latencies, $0.malformed) }
    }
}

extension MatchedSubscription {
    /// The part of `ck` that messages of this kind contain.
    fileprivate var part: ZoneNotification.Part {
        switch kind {
        case .zone: .fet
        case .database: .met
        case .query, .once: .qry
        }
    }
}
