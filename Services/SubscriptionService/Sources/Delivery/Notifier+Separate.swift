internal import CloudKitModel
internal import Foundation
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

extension Notifier {
    /// Takes the next turn of a separate delivery, as described for ``SeparateDelivery``. Takes the same round trips as
    /// ``notify(_:)``, and for every 500 participants up to one request to the record service and the round trips of a
    /// batch of notifications.
    ///
    /// - Throws: ``RightsCheck/Postponed`` if the rights of users cannot be checked; `ServiceStopping` if the service is
    ///   shutting down; or `INTERNAL_ERROR` for a defect.
    func notify(_ delivery: SeparateDelivery) async throws -> Outcome {
        let incarnation = delivery.incarnation
        var progress = delivery.progress
        let pending = delivery.changes.filter { $0.toSeq > progress.announced }.map { $0.after(progress.announced) }
        var ledger = MatchingLedger(.alone)
        try await publish(pending, to: nil, &ledger)
        var outcome = ledger.outcome
        progress.announced = outcome.reached.removeValue(forKey: incarnation)?.seq ?? progress.announced

        let announced = delivery.changes.filter { $0.toSeq <= progress.announced }
        guard var participants = progress.participants ?? ParticipantDelivery(of: announced) else { return outcome }
        let isComplete: Bool
        do {
            isComplete = try await notify(&participants)
        } catch is RightsCheck.Postponed {
            (isComplete, outcome.isPostponed) = (false, true)
        }
        progress.participants = isComplete ? nil : participants
        if isComplete {
            outcome.reached[incarnation] = participants.reached
            progress.delivered = participants.reached.seq
        }
        // Otherwise, the next changes would be announced again in a round.
        if progress.announced > progress.delivered { outcome.progress = progress }
        return outcome
    }

    /// Notifies the next participants until the budget is spent.
    ///
    /// - Returns: whether all participants have been notified.
    /// - Throws: ``RightsCheck/Postponed`` if the participants cannot be read; `delivery` is then up to date.
    private func notify(_ delivery: inout ParticipantDelivery) async throws -> Bool {
        guard let address = delivery.changes.first?.event.address else { return true }
        var work = 0
        let notifications = delivery.changes.map(ChangeNotification.init)
        while true {
            let part = try await audiences.part(of: delivery.changes, after: delivery.place)
            work += MatchingWork.audiencePage
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
                    guard page.count >= MatchingTable.sharedPageSize, let last = page.last?.subscriptionID else {
                        break
                    }
                    if work > MatchingBudget.alone.work {
                        try await batcher.publish(&batch)
                        delivery.unfinished = (database.user, last)
                        return false
                    }
                    page = try await subscriptions(of: database, after: last)
                }
                (delivery.place, delivery.unfinished) = (.end(of: database.user), nil)
                if work > MatchingBudget.alone.work {
                    try await batcher.publish(&batch)
                    return false
                }
            }
            try await batcher.publish(&batch)
            guard let next = part.next else { return true }
            delivery.place = next
            if work > MatchingBudget.alone.work { return false }
        }
    }

    private func subscriptions(
        of database: MatchingTable.SharedDatabase, after id: String
    ) async throws -> [StoredSubscription] {
        try await retry.run(deadline: nil) { try await table.subscriptions(of: [database], after: id)[database] ?? [] }
    }
}
