package import CloudKitModel
package import CloudKitWire

/// A subscription as clients save and read it (semantics 9.1, web-services 3.8).
package struct Subscription: Sendable, Equatable {
    /// The changes that a subscription watches.
    package enum Kind: Sendable, Equatable {
        /// The records of one type that match a query.
        case query(WatchedQuery)
        /// All records of one zone, or only its records of one type.
        case zone(ZoneID, recordType: String?)
        /// All records of the database's custom zones, or only their records of one type.
        case database(recordType: String?)

        /// The raw value of CKSubscription.SubscriptionType.
        package var number: Int16 {
            switch self {
            case .query: 1
            case .zone: 2
            case .database: 3
            }
        }
    }

    /// The subscription's name, unique among its user's subscriptions in the database.
    package var subscriptionID: SubscriptionID
    /// The changes that the subscription watches.
    package var kind: Kind
    /// How its notifications are shown; nil if they carry no text, sound or badge.
    package var notificationInfo: NotificationInfo?

    /// Creates a subscription.
    package init(subscriptionID: SubscriptionID, kind: Kind, notificationInfo: NotificationInfo? = nil) {
        (self.subscriptionID, self.kind, self.notificationInfo) = (subscriptionID, kind, notificationInfo)
    }

    /// The query of a query subscription.
    package var query: WatchedQuery? { if case .query(let query) = kind { query } else { nil } }

    /// The only zone whose changes the subscription watches; nil for the whole database.
    package var zoneID: ZoneID? {
        switch kind {
        case .query(let query): query.zoneID
        case .zone(let zoneID, _): zoneID
        case .database: nil
        }
    }

    /// The only record type whose changes the subscription watches; nil for all types.
    package var recordType: String? {
        switch kind {
        case .query(let query): query.recordType
        case .zone(_, let recordType), .database(let recordType): recordType
        }
    }
}

/// The query of a query subscription.
package struct WatchedQuery: Sendable, Equatable {
    /// The query dictionary in the form that Zonda writes.
    package var dictionary: JSONValue
    /// The record type.
    package var recordType: String
    /// The only zone that is watched; nil if all zones of the database are watched.
    package var zoneID: ZoneID?
    /// The kinds of change for which the subscription fires.
    package var firesOn: FiringEvents
    /// Whether the subscription is removed after it has fired.
    package var firesOnce: Bool
    /// The record service's answer to the query; nil if the record service has not been asked yet.
    package var interest: QueryInterest?

    /// Creates a query.
    package init(
        dictionary: JSONValue, recordType: String, zoneID: ZoneID? = nil, firesOn: FiringEvents, firesOnce: Bool,
        interest: QueryInterest? = nil
    ) {
        (self.dictionary, self.recordType, self.zoneID) = (dictionary, recordType, zoneID)
        (self.firesOn, self.firesOnce, self.interest) = (firesOn, firesOnce, interest)
    }
}
