internal import CloudKitModel
internal import Foundation
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

extension Notifier {
    /// The participants whom changes reach, and the participants' subscriptions.
    struct SharedFirings: Sendable {
        fileprivate struct Number: Hashable {
            let incarnation: UUID
            let toSeq: Int64

            init(_ change: ZoneChange) { (incarnation, toSeq) = (change.incarnation, change.toSeq) }
        }

        /// The reach of each change; `.some(nil)` if the audiences are unknown.
        fileprivate var reaches: [Number: SharedReach?] = [:]
        fileprivate var subscriptions: [MatchingTable.SharedDatabase: [StoredSubscription]] = [:]

        /// Returns whether a change must be delivered separately from the changes to other zones, as it must if its
        /// audiences are unknown or large.
        func isOpenEnded(_ change: ZoneChange) -> Bool {
            guard let reach = reaches[Number(change)] else { return false }
            return reach.map { $0.count > AudienceCheck.maxSharedUsers } ?? true
        }

        /// Returns the participants' subscriptions that fire for a change, each with the notification for its user.
        func firings(for change: ZoneChange) -> [(StoredSubscription, SharedNotification)] {
            guard let reach = reaches[Number(change)]?.flatMap(\.self) else { return [] }
            var firings: [(StoredSubscription, SharedNotification)] = []
            for view in reach.views {
                var notification: SharedNotification?
                for user in view.users {
                    let database = MatchingTable.SharedDatabase(of: user, with: change.event.address)
                    for subscription in subscriptions[database] ?? []
                    where subscription.fires(for: change, records: view.records) {
                        let made = notification ?? SharedNotification(change, records: view.records)
                        notification = made
                        firings.append((subscription, made))
                    }
                }
            }
            return firings
        }
    }

    /// Reads the subscriptions of the participants whom `changes` reach. If no change affects a share, nothing is read.
    /// Unknown audiences are requested only for a change that is delivered separately.
    ///
    /// - Throws: `ServiceStopping`, or ``RightsCheck/Postponed`` if the audiences are refused or arrive late.
    func sharedFirings(_ changes: [ZoneChange], within budget: MatchingBudget) async throws -> SharedFirings {
        var shared = SharedFirings()
        let changes = changes.filter { $0.event.address.scope == .private && $0.touchesShares }
        guard !changes.isEmpty else { return shared }
        let isAlone = if case .alone = budget { true } else { false }
        var databases: Set<MatchingTable.SharedDatabase> = []
        for (change, reach) in zip(changes, try await audiences.reaches(of: changes, asking: isAlone)) {
            guard let reach else { continue }
            shared.reaches[SharedFirings.Number(change)] = .some(reach)
            guard let reach, isAlone || reach.count <= AudienceCheck.maxSharedUsers else { continue }
            for user in reach.views.lazy.flatMap(\.users) {
                databases.insert(MatchingTable.SharedDatabase(of: user, with: change.event.address))
            }
        }
        guard !databases.isEmpty else { return shared }
        let wanted = Array(databases)
        shared.subscriptions = try await retry.run(deadline: nil) { try await table.subscriptions(of: wanted) }
        return shared
    }
}
