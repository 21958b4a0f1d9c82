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
        /// How far a separate delivery came; nil if its changes have been delivered.
        var progress: SeparateDelivery.Progress?
        /// Whether a separate delivery has to pause, because the record service does not answer or because of a defect.
        var isPostponed = false

        /// Records how far the notification of participants came in the separate delivery of the zone `incarnation`.
        mutating func add(_ participants: ParticipantDelivery, isComplete: Bool, of incarnation: UUID) {
            progress?.participants = isComplete ? nil : participants
            guard isComplete, let announced = progress?.announced else { return }
            reached[incarnation] = participants.reached
            progress?.delivered = participants.reached.seq
            // Otherwise, the next changes would be announced again in a round.
            if announced <= participants.reached.seq { progress = nil }
        }
    }

    /// Publishes one `zone.…` message for each change and one `user.…` message for each firing of a subscription, in
    /// the order of the changes, and returns once all of them are confirmed. If a zone's changes exceed
    /// ``MatchingBudget/shared``, the zone's remaining changes are left out. Takes one round trip to the database, two
    /// more if query subscriptions exist for a changed record's type, and one more if the changes reach participants of
    /// shares.
    ///
    /// - Throws: `ServiceStopping` if the service is shutting down; `INTERNAL_ERROR` for a defect.
    func notify(_ changes: [ZoneChange]) async throws -> Outcome {
        let participants = try await RoundParticipants(of: changes, audiences, table: table, retry: retry)
        var ledger = MatchingLedger(.shared)
        try await publish(changes, to: participants, &ledger)
        return ledger.outcome
    }

    /// Publishes the changes that `ledger` admits, to everyone except those participants of shares who are not in
    /// `participants`.
    ///
    /// - Throws: the same errors as ``notify(_:)``; without `participants`, also ``RightsCheck/Postponed``.
    func publish(
        _ changes: [ZoneChange], to participants: RoundParticipants?, _ ledger: inout MatchingLedger
    ) async throws {
        // Outside the shared database, zone and database subscriptions watch only the custom zones of private
        // databases.
        let zones = Set(
            changes.map(\.event.address).filter { $0.scope == .private && $0.zone != .defaultZone })
        let subscriptions = try await retry.run(deadline: nil) { try await table.subscriptions(of: Array(zones)) }
        var batch = NotificationBatcher.Batch()
        var rights = RightsCheck.Cache()
        for changes in changes.matchedTogether(maxRecords: Self.maxRecords) {
            let changes = changes.filter { !ledger.isSpent($0.incarnation) }
            let candidates = try await matcher.candidates(in: changes)
            for (change, records) in zip(changes, candidates.records) {
                var work = matcher.work(of: records, for: change, among: candidates)
                let shared = participants?.firings(for: change, &work) ?? []
                guard ledger.admit(change, work) else { continue }
                try await batcher.add(change, to: &batch)
                for subscription in subscriptions[change.event.address] ?? [] where subscription.fires(for: change) {
                    try await batcher.add(Firing(subscription: subscription, change: change, match: nil), to: &batch)
                }
                for (subscription, notification) in shared {
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
