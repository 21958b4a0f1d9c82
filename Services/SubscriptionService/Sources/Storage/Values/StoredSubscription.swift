internal import CloudKitModel
internal import Foundation
internal import ServiceMessages

/// A subscription as the fan-out sees it.
struct StoredSubscription: Sendable {
    /// What it watches.
    enum Kind: Sendable {
        case zone
        case database
        case query(Query)
    }

    /// What a query subscription asks of a record.
    struct Query: Sendable {
        /// The predicate's canonical format.
        let predicate: String
        /// The only zone; nil: every zone of the database.
        let zoneName: String?
        /// What has to happen.
        let firesOn: FiringEvents
        /// Whether it is gone afterwards.
        let firesOnce: Bool
        /// Whether its user may read own records only.
        var ownOnly: Bool
        /// Whether its user may not read the type's records any more.
        var isDenied: Bool
        /// The number of the rights by which that was decided.
        var rights: Int64
    }

    /// The row's id: the base of its notification ids.
    let id: UUID
    /// Where it is.
    let environment: Int32
    /// Whose it is.
    let user: String
    /// Its name.
    let subscriptionID: String
    /// What it watches.
    var kind: Kind
    /// The only record type whose changes it is about; nil: all.
    let recordType: String?
    /// When it was saved; nil: not yet when the changes that are being matched were committed.
    let snapshot: TransactionSnapshot?

    /// Whether it is younger than neither the transaction nor, by its record type, about something else: whether a
    /// zone's or database's subscription fires for a change.
    func fires(for change: ZoneChange) -> Bool {
        guard isActive(for: change.event.xid) else { return false }
        // A zone that was deleted took records of any type with it.
        guard let recordType, !change.event.isDeletion else { return true }
        return change.records?.contains { $0.type == recordType } ?? true
    }

    /// Whether it was saved before a transaction committed.
    func isActive(for xid: UInt64) -> Bool {
        snapshot.map { !$0.sees(xid) } ?? false
    }
}

extension FiringEvents {
    /// What happened to a record.
    init(_ kind: ChangedRecord.Kind) {
        self =
            switch kind {
            case .created: .create
            case .updated: .update
            case .deleted: .delete
            }
    }
}
