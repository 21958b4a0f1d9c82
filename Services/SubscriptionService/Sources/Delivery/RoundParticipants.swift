internal import CloudKitModel
internal import Foundation
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// The share participants whom the changes of a round reach, and the first page of each participant's subscriptions.
/// Only participants in the cache are known; the changes of other shares are delivered separately.
struct RoundParticipants: Sendable {
    /// The maximum number of participants of a zone whose subscriptions are read in a round.
    private static let maxUsers = 500

    private struct Number: Hashable {
        let incarnation: UUID
        let toSeq: Int64

        init(_ change: ZoneChange) { (incarnation, toSeq) = (change.incarnation, change.toSeq) }
    }

    /// The reach of each change that touches shares; `.some(nil)` if it is unknown or large.
    private var reaches: [Number: SharedReach?] = [:]
    private var subscriptions: [MatchingTable.SharedDatabase: [StoredSubscription]] = [:]

    /// Determines whom `changes` reach, and reads the subscriptions. Takes one round trip if a change reaches a
    /// participant.
    ///
    /// - Throws: `ServiceStopping` if the service is shutting down; `INTERNAL_ERROR` for a defect.
    init(of changes: [ZoneChange], _ audiences: AudienceCheck, table: MatchingTable, retry: DatabaseRetry) async throws
    {
        var users: [UUID: Set<String>] = [:]
        var databases: Set<MatchingTable.SharedDatabase> = []
        for change in changes where change.reachesParticipants {
            let reach = audiences.cached(change).map { SharedReach(of: change, among: $0) }
            let known = users[change.incarnation, default: []].union(reach?.users ?? [])
            guard let reach, known.count <= Self.maxUsers else {
                reaches[Number(change)] = .some(nil)
                continue
            }
            users[change.incarnation] = known
            reaches[Number(change)] = .some(reach)
            for user in reach.users {
                databases.insert(MatchingTable.SharedDatabase(of: user, with: change.event.address))
            }
        }
        guard !databases.isEmpty else { return }
        let wanted = Array(databases)
        subscriptions = try await retry.run(deadline: nil) { try await table.subscriptions(of: wanted) }
    }

    /// Returns the participants' subscriptions that fire for a change, each with the notification for its user, and
    /// adds their work to `work`.
    func firings(for change: ZoneChange, _ work: inout MatchingWork) -> [(StoredSubscription, SharedNotification)] {
        guard let known = reaches[Number(change)] else { return [] }
        guard let reach = known else {
            work.isOpenEnded = true
            return []
        }
        var firings: [(StoredSubscription, SharedNotification)] = []
        for view in reach.views {
            let notification = SharedNotification(change, to: view)
            for user in view.users {
                let database = MatchingTable.SharedDatabase(of: user, with: change.event.address)
                let subscriptions = subscriptions[database] ?? []
                work.known += MatchingWork.participant
                if subscriptions.count >= MatchingTable.sharedPageSize { work.isOpenEnded = true }
                for subscription in subscriptions where subscription.fires(for: change, records: view.records) {
                    work.known += notification.size
                    firings.append((subscription, notification))
                }
            }
        }
        return firings
    }
}

extension ZoneChange {
    /// Whether participants of shares can be notified of the change.
    var reachesParticipants: Bool { event.address.scope == .private && touchesShares }
}
