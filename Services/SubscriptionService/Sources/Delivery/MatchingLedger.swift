internal import Foundation
internal import ServiceMessages
internal import SubscriptionStorage

/// The matching work of a batch. It determines which changes are matched within a budget.
struct MatchingLedger: Sendable {
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
