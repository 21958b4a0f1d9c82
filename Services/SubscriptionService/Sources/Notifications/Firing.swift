internal import ServiceMessages
internal import SubscriptionStorage

/// A subscription that fires for a change.
struct Firing: Sendable {
    /// The record for which a query subscription fires.
    struct Match: Sendable {
        /// The record's change.
        let record: ChangedRecord
        /// The record's values.
        let values: EventRecord
    }

    /// The subscription.
    let subscription: StoredSubscription
    /// The change.
    let change: ZoneChange
    /// The record that a query subscription matched; nil if the notification is about the change as a whole.
    let match: Match?
    /// The notification for a participant in a share; nil if the subscription does not watch a shared database.
    var shared: SharedNotification?

    /// The change number of the notification.
    var seq: Int64 { match?.record.seq ?? change.toSeq }

    /// Whether the subscription is removed after this firing.
    var isOnly: Bool { if case .query(let query) = subscription.kind { query.firesOnce } else { false } }
}

extension FiringTable.Claim {
    /// Creates the claim of a firing.
    init(_ firing: Firing) {
        self.init(
            id: firing.subscription.id, incarnation: firing.change.incarnation, seq: firing.seq,
            isMerged: firing.change.event.isMerged, xid: firing.change.event.xid)
    }
}
