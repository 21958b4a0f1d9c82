internal import CloudKitModel
internal import Foundation
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// Matches changes with the subscriptions and publishes what they give.
struct Notifier: Sendable {
    /// Past so many records the changes of a batch are matched in several goes.
    private static let maxRecords = 1000

    let table: MatchingTable
    let matcher: QueryMatcher
    let batcher: NotificationBatcher
    let trouble: DatabaseTrouble

    /// How far the changes of each zone came.
    struct Outcome: Sendable {
        /// Up to where changes were published; nothing for a zone without any.
        var reached: [UUID: CursorTable.Cursor] = [:]
        /// The zones whose changes took more than ``MatchingBudget/shared``, or would have.
        var costly: Set<UUID> = []
    }

    /// Publishes one `zone.…` message for each change and one `user.…` message for each firing of a subscription, in the
    /// order of the changes, and returns when all are confirmed. Where a zone's changes would take more matching than
    /// the budget allows, the rest of them is left out. One round trip to the database, and two more where query
    /// subscriptions ask for a changed record's type.
    ///
    /// - Throws: ``Withheld`` when the service is ending; `INTERNAL_ERROR` for a mistake of ours.
    func notify(_ changes: [ZoneChange], within budget: MatchingBudget) async throws -> Outcome {
        // Zone and database subscriptions are about the custom zones of a private database.
        let zones = Set(
            changes.map(\.event.address).filter { $0.scope == "private" && $0.zone != .defaultZone })
        let subscriptions = try await trouble.outlast(deadline: nil) { try await table.subscriptions(of: Array(zones)) }
        var batch = NotificationBatcher.Batch()
        var rights = RightsCheck.Cache()
        var ledger = MatchingLedger(budget)
        for changes in changes.matchedTogether(maxRecords: Self.maxRecords) {
            let changes = changes.filter { !ledger.isSpent($0.incarnation) }
            let candidates = try await matcher.candidates(in: changes)
            for (change, records) in zip(changes, candidates.records) {
                guard ledger.admit(change, matcher.work(of: records, for: change, among: candidates)) else { continue }
                try await batcher.add(change, to: &batch)
                for subscription in subscriptions[change.event.address] ?? [] where subscription.fires(for: change) {
                    try await batcher.add(Firing(subscription: subscription, change: change, match: nil), to: &batch)
                }
                for record in records {
                    let match = Firing.Match(record: record.change, values: record.values)
                    try await matcher.eachFiring(for: change, record, among: candidates, &rights) { subscription in
                        try await batcher.add(
                            Firing(subscription: subscription, change: change, match: match), to: &batch)
                    }
                }
            }
        }
        try await batcher.publish(&batch)
        return ledger.outcome
    }
}

/// Decides which changes are matched within a budget.
private struct MatchingLedger {
    private(set) var outcome = Notifier.Outcome()
    private let budget: MatchingBudget
    private var taken: [UUID: Int] = [:]
    private var spent: Set<UUID> = []

    init(_ budget: MatchingBudget) { self.budget = budget }

    /// Whether nothing more of a zone is matched.
    func isSpent(_ incarnation: UUID) -> Bool { spent.contains(incarnation) }

    /// Whether a change is matched, which comes after those of its zone that were asked for before.
    mutating func admit(_ change: ZoneChange, _ work: MatchingWork) -> Bool {
        let incarnation = change.incarnation
        guard !isSpent(incarnation) else { return false }
        let sum = taken[incarnation, default: 0] + work.known
        if work.isOpenEnded || sum > MatchingBudget.shared.work { outcome.costly.insert(incarnation) }
        let fits =
            switch budget {
            case .shared: !work.isOpenEnded && sum <= budget.work
            case .alone: sum <= budget.work || outcome.reached[incarnation] == nil
            }
        guard fits else {
            spent.insert(incarnation)
            return false
        }
        taken[incarnation] = sum
        let latest = max(outcome.reached[incarnation]?.at ?? 0, change.event.at)
        outcome.reached[incarnation] = CursorTable.Cursor(seq: change.toSeq, at: latest)
        return true
    }
}

extension [ZoneChange] {
    /// In pieces of at most so many records with values, a change at least.
    fileprivate func matchedTogether(maxRecords: Int) -> [[ZoneChange]] {
        var pieces: [[ZoneChange]] = []
        var room = 0
        for change in self {
            let count = change.records?.count { $0.record != nil } ?? 0
            if pieces.isEmpty || count > room {
                pieces.append([])
                room = maxRecords
            }
            pieces[pieces.count - 1].append(change)
            room -= count
        }
        return pieces
    }
}
