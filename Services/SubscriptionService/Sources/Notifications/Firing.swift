internal import ServiceMessages

/// A subscription that fires for a change.
struct Firing: Sendable {
    /// The record that a query subscription fires for.
    struct Match: Sendable {
        let record: ChangedRecord
        let values: EventRecord
    }

    /// The subscription.
    let subscription: StoredSubscription
    /// The change.
    let change: ZoneChange
    /// The record; nil: it is told of the whole change.
    let match: Match?

    /// The number of what it is told of.
    var seq: Int64 { match?.record.seq ?? change.toSeq }

    /// Whether the subscription is gone afterwards.
    var isOnly: Bool { if case .query(let query) = subscription.kind { query.firesOnce } else { false } }
}
