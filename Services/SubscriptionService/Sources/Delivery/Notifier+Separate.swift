internal import CloudKitModel
internal import Foundation
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// The turns of separate deliveries (``SeparateDelivery``).
extension Notifier {
    /// Publishes the notifications of the next changes to everyone except the participants of shares, until
    /// ``MatchingBudget/alone`` is spent. Takes the same round trips as ``notify(_:)``.
    ///
    /// - Returns: how far the delivery came, with the participants to notify next.
    /// - Throws: ``RightsCheck/Postponed`` if the rights of users cannot be checked; `ServiceStopping` if the service is
    ///   shutting down; or `INTERNAL_ERROR` for a defect.
    func announce(_ delivery: SeparateDelivery) async throws -> Outcome {
        var progress = delivery.progress
        let pending = delivery.changes.filter { $0.toSeq > progress.announced }.map { $0.after(progress.announced) }
        var ledger = MatchingLedger(.alone)
        try await publish(pending, to: nil, &ledger)
        var outcome = ledger.outcome
        progress.announced = outcome.reached.removeValue(forKey: delivery.incarnation)?.seq ?? progress.announced
        let announced = delivery.changes.filter { $0.toSeq <= progress.announced }
        progress.participants = progress.participants ?? ParticipantDelivery(of: announced)
        if progress.participants != nil { outcome.progress = progress }
        return outcome
    }

    /// Notifies the next participants, until ``MatchingBudget/alone`` or `time` is spent. For every 500 participants, it
    /// takes up to one request to the record service and the round trips of a batch of notifications.
    ///
    /// - Parameters:
    ///   - delivery: the changes and the place of the last participant who has been notified. After an error, the place
    ///     is still correct.
    ///   - permits: limits the concurrent matching. The permit is not held while the record service is asked.
    /// - Returns: whether all participants have been notified.
    /// - Throws: ``RightsCheck/Postponed`` if the participants cannot be read; `ServiceStopping` if the service is
    ///   shutting down; or `INTERNAL_ERROR` for a defect.
    func notify(
        _ delivery: inout ParticipantDelivery, within time: Duration, permits: AsyncSemaphore
    ) async throws -> Bool {
        guard !delivery.changes.isEmpty else { return true }
        let end = ContinuousClock.now + time
        var work = 0
        repeat {
            let part = try await audiences.part(of: delivery.changes, after: delivery.place)
            work += MatchingWork.audiencePage
            let (current, budget) = (delivery, MatchingBudget.alone.work - work)
            let (next, isPartDone, spent) = try await permits.withPermit {
                try await notify(part, of: current, budget: budget)
            }
            delivery = next
            work += spent
            if isPartDone {
                guard let place = part.next else { return true }
                delivery.place = place
            }
        } while work <= MatchingBudget.alone.work && ContinuousClock.now < end
        return false
    }

    /// Notifies the participants in `part`, in order, until `budget` is spent.
    ///
    /// - Returns: how far the delivery came, whether everyone in `part` has been notified, and the work.
    private func notify(
        _ part: AudienceCheck.Part, of delivery: ParticipantDelivery, budget: Int
    ) async throws -> (delivery: ParticipantDelivery, isPartDone: Bool, work: Int) {
        guard let address = delivery.changes.first?.event.address else { return (delivery, true, 0) }
        var (delivery, work) = (delivery, 0)
        let notifications = delivery.changes.map(ChangeNotification.init)
        var batch = NotificationBatcher.Batch()
        let views = ParticipantViews(of: delivery.changes, among: part.rows)
        let databases = views.users.map { MatchingTable.SharedDatabase(of: $0, with: address) }
        let pages = try await retry.run(deadline: nil) { try await table.subscriptions(of: databases) }
        for database in databases {
            var page = pages[database] ?? []
            if let unfinished = delivery.unfinished, unfinished.user == database.user {
                page = try await subscriptions(of: database, after: unfinished.subscriptionID)
            }
            work += MatchingWork.participant
            while true {
                for subscription in page {
                    for (index, notification) in views.notifications(to: database.user, for: subscription) {
                        work += notification.size
                        let firing = Firing(
                            subscription: subscription, change: delivery.changes[index], match: nil,
                            shared: notification)
                        try await batcher.add(firing, of: notifications[index], to: &batch)
                    }
                }
                guard page.count >= MatchingTable.sharedPageSize, let last = page.last?.subscriptionID else { break }
                if work > budget {
                    try await batcher.publish(&batch)
                    delivery.unfinished = (database.user, last)
                    return (delivery, false, work)
                }
                page = try await subscriptions(of: database, after: last)
            }
            (delivery.place, delivery.unfinished) = (.end(of: database.user), nil)
            if work > budget {
                try await batcher.publish(&batch)
                return (delivery, false, work)
            }
        }
        try await batcher.publish(&batch)
        return (delivery, true, work)
    }

    private func subscriptions(
        of database: MatchingTable.SharedDatabase, after id: String
    ) async throws -> [StoredSubscription] {
        try await retry.run(deadline: nil) { try await table.subscriptions(of: [database], after: id)[database] ?? [] }
    }
}
