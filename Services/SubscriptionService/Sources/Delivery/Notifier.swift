internal import CloudKitModel
internal import Foundation
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// Matches changes against subscriptions and publishes the notifications.
struct Notifier: Sendable {
    /// The maximum number of records with values that are matched together. A batch with more such records is matched
    /// in several parts.
    private static let maxRecords = 1000

    let table: MatchingTable
    let matcher: QueryMatcher
    let audiences: AudienceCheck
    let batcher: NotificationBatcher
    let retry: DatabaseRetry

    /// The result of a delivery: how far each zone's changes were delivered.
    struct Outcome: Sendable {
        /// The position up to which each zone's changes were published. Zones without published changes are absent.
        var reached: [UUID: CursorTable.Cursor] = [:]
        /// The zones whose changes exceed ``MatchingBudget/shared``.
        var costly: Set<UUID> = []
    }

    /// Publishes one `zone.…` message for each change and one `user.…` message for each firing of a subscription, in
    /// the order of the changes, and returns once all of them are confirmed. If a zone's changes exceed the budget, the
    /// zone's remaining changes are left out. Takes one round trip to the database, two more if query subscriptions
    /// exist for a changed record's type, and one more if the changes concern share participants.
    ///
    /// - Throws: ``RightsCheck/Postponed`` in a separate delivery; `ServiceStopping` if the service is shutting down;
    ///   or `INTERNAL_ERROR` for a defect.
    func notify(_ changes: [ZoneChange], within budget: MatchingBudget) async throws -> Outcome {
        // Outside the shared database, zone and database subscriptions watch only the custom zones of private
        // databases.
        let zones = Set(
            changes.map(\.event.address).filter { $0.scope == .private && $0.zone != .defaultZone })
        let subscriptions = try await retry.run(deadline: nil) { try await table.subscriptions(of: Array(zones)) }
        let shared = try await sharedFirings(changes, within: budget)
        var batch = NotificationBatcher.Batch()
        var rights = RightsCheck.Cache()
        var ledger = MatchingLedger(budget)
        for changes in changes.matchedTogether(maxRecords: Self.maxRecords) {
            let changes = changes.filter { !ledger.isSpent($0.incarnation) }
            let candidates = try await matcher.candidates(in: changes)
            for (change, records) in zip(changes, candidates.records) {
                var work = matcher.work(of: records, for: change, among: candidates)
                if shared.isOpenEnded(change) { work.isOpenEnded = true }
                guard ledger.admit(change, work) else { continue }
                try await batcher.add(change, to: &batch)
                for subscription in subscriptions[change.event.address] ?? [] where subscription.fires(for: change) {
                    try await batcher.add(Firing(subscription: subscription, change: change, match: nil), to: &batch)
                }
                for (subscription, notification) in shared.firings(for: change) {
                    try await batcher.add(
                        Firing(subscription: subscription, change: change, match: nil, shared: notification),
                        to: &batch)
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

/// The matching work of a batch. It determines which changes are matched within a budget.
private struct MatchingLedger {
    private(set) var outcome = Notifier.Outcome()
    private let budget: MatchingBudget
    private var taken: [UUID: Int] = [:]
    private var spent: Set<UUID> = []

    init(_ budget: MatchingBudget) { self.budget = budget }

    /// Returns whether a zone's budget is spent. If it is, no more of the zone's changes are matched.
    func isSpent(_ incarnation: UUID) -> Bool { spent.contains(incarnation) }

    /// Returns whether a change fits within the budget, and if so, counts its work. The changes of a zone must be
    /// passed in order.
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
    /// Divides the changes into parts. Each part has at most `maxRecords` records with values, unless it consists of a
    /// single change.
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
