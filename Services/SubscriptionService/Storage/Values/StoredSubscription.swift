package import Foundation
package import ServiceMessages

/// The parts of a stored subscription that matching needs.
package struct StoredSubscription: Sendable {
    /// The changes that a subscription watches.
    package enum Kind: Sendable {
        case zone
        case database
        case query(Query)
    }

    /// The condition of a query subscription.
    package struct Query: Sendable {
        /// The predicate in its canonical format.
        package let predicate: String
        /// The only zone that is watched; nil if all zones of the database are watched.
        package let zoneName: String?
        /// The kinds of change for which the subscription fires.
        package let firesOn: FiringEvents
        /// Whether the subscription is removed after it has fired.
        package let firesOnce: Bool
        /// Whether the user may read only their own records of the type.
        package var ownOnly: Bool
        /// Whether the user is no longer allowed to read records of the type.
        package var isDenied: Bool
        /// The rights number at which ``ownOnly`` and ``isDenied`` were checked.
        package var rights: Int64

        /// Creates a condition.
        package init(
            predicate: String, zoneName: String?, firesOn: FiringEvents, firesOnce: Bool, ownOnly: Bool,
            isDenied: Bool, rights: Int64
        ) {
            (self.predicate, self.zoneName, self.firesOn, self.firesOnce) = (predicate, zoneName, firesOn, firesOnce)
            (self.ownOnly, self.isDenied, self.rights) = (ownOnly, isDenied, rights)
        }
    }

    /// The row's id, from which the ids of its notifications are derived.
    package let id: UUID
    /// The environment's id.
    package let environment: Int32
    /// The user who saved the subscription.
    package let user: String
    /// The subscription's name.
    package let subscriptionID: String
    /// The changes that the subscription watches.
    package var kind: Kind
    /// The only record type whose changes the subscription watches; nil for all types.
    package let recordType: String?
    /// The moment at which the subscription was saved; nil if the changes being matched were committed before that
    /// moment.
    package let snapshot: TransactionSnapshot?

    /// Creates a subscription.
    package init(
        id: UUID, environment: Int32, user: String, subscriptionID: String, kind: Kind, recordType: String?,
        snapshot: TransactionSnapshot?
    ) {
        (self.id, self.environment, self.user, self.subscriptionID) = (id, environment, user, subscriptionID)
        (self.kind, self.recordType, self.snapshot) = (kind, recordType, snapshot)
    }

    /// Returns whether a zone or database subscription fires for a change. The subscription fires if it was saved
    /// before the change was committed and the change contains a record of its type.
    /// It does not fire for a change by which records only enter or leave shares.
    package func fires(for change: ZoneChange) -> Bool {
        !change.onlyMovesRecords && fires(for: change, records: change.records)
    }

    /// Returns whether a zone or database subscription fires for a change of which its user may see `records`. If
    /// `records` is nil, the changed records are unknown, and the record type is not checked.
    package func fires(for change: ZoneChange, records: [ChangedRecord]?) -> Bool {
        guard isActive(for: change.event.xid) else { return false }
        // The deletion of a zone might have removed records of any type.
        guard let recordType, !change.event.isDeletion else { return true }
        return records?.contains { $0.type == recordType } ?? true
    }

    /// Returns whether the subscription was saved before the transaction `xid` was committed.
    package func isActive(for xid: UInt64) -> Bool {
        snapshot.map { !$0.sees(xid) } ?? false
    }
}
