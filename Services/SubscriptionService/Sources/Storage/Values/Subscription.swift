internal import CloudKitModel
internal import CloudKitWire

/// A subscription: what a client saves and reads (semantics 9.1, web-services 3.8).
struct Subscription: Sendable, Equatable {
    /// What is watched.
    enum Kind: Sendable, Equatable {
        /// The records of one type that a query finds.
        case query(WatchedQuery)
        /// One zone, or only its records of a type.
        case zone(ZoneID, recordType: String?)
        /// Every custom zone of the database, or only their records of a type.
        case database(recordType: String?)

        /// The raw value of CKSubscription.SubscriptionType.
        var number: Int16 {
            switch self {
            case .query: 1
            case .zone: 2
            case .database: 3
            }
        }
    }

    /// Its name, unique among its user's in the database.
    var subscriptionID: SubscriptionID
    /// What it watches.
    var kind: Kind
    /// How a notification is shown.
    var notificationInfo: NotificationInfo?

    /// The query, if it is a query subscription.
    var query: WatchedQuery? { if case .query(let query) = kind { query } else { nil } }

    /// The zone that it is bound to; nil: all of the database.
    var zoneID: ZoneID? {
        switch kind {
        case .query(let query): query.zoneID
        case .zone(let zoneID, _): zoneID
        case .database: nil
        }
    }

    /// The only record type whose changes it is about; nil: all.
    var recordType: String? {
        switch kind {
        case .query(let query): query.recordType
        case .zone(_, let recordType), .database(let recordType): recordType
        }
    }
}

/// What a query subscription asks for.
struct WatchedQuery: Sendable, Equatable {
    /// The query dictionary, as Zonda writes it.
    var dictionary: JSONValue
    /// Its record type.
    var recordType: String
    /// The zone it is restricted to; nil: every zone of the database.
    var zoneID: ZoneID?
    /// What has to happen to a record.
    var firesOn: FiringEvents
    /// Whether it is gone when it has fired.
    var firesOnce: Bool
    /// What the record service made of it; nil: it was not asked yet.
    var interest: QueryInterest?
}

/// What has to happen to a record for a query subscription to fire; CKQuerySubscription.Options' bits.
struct FiringEvents: OptionSet, Sendable, Hashable {
    let rawValue: Int16

    static let create = FiringEvents(rawValue: 1)
    static let update = FiringEvents(rawValue: 2)
    static let delete = FiringEvents(rawValue: 4)

    /// Each with its name in `firesOn`.
    static let named: [(name: String, event: FiringEvents)] = [
        ("create", .create), ("update", .update), ("delete", .delete),
    ]

    /// The names of those that are in it.
    var names: [String] { Self.named.compactMap { contains($0.event) ? $0.name : nil } }
}

extension WireWriter {
    /// Writes a subscription dictionary.
    mutating func subscription(_ subscription: Subscription) {
        object { writer in
            writer.member("subscriptionID", subscription.subscriptionID.rawValue)
            switch subscription.kind {
            case .query(let query):
                writer.member("subscriptionType", "query")
                writer.key("query")
                writer.value(query.dictionary)
                writer.member("firesOn", query.firesOn.names)
                writer.member("firesOnce", query.firesOnce)
                writer.member("zoneWide", query.zoneID == nil)
            case .zone(_, let recordType):
                writer.member("subscriptionType", "zone")
                writer.member("recordType", recordType)
            case .database(let recordType):
                writer.member("subscriptionType", "database")
                writer.member("recordType", recordType)
            }
            if let zoneID = subscription.zoneID {
                writer.key("zoneID")
                writer.zoneID(zoneID)
            }
            if let info = subscription.notificationInfo {
                writer.key("notificationInfo")
                writer.value(info.json)
            }
        }
    }

    /// Writes the error that stands in a subscription's place.
    mutating func itemError(_ error: ServerError, subscriptionID: SubscriptionID?) {
        object { writer in
            writer.member("subscriptionID", subscriptionID?.rawValue)
            writer.errorMembers(error)
        }
    }
}

extension ServerError {
    /// There is no subscription of that name.
    static let subscriptionNotFound = ServerError(
        .subscriptionNotFound, "There is no subscription of that ID",
        field: "subscriptionID")
}
