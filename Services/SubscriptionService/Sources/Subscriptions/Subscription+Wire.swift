internal import CloudKitModel
internal import CloudKitWire
internal import SubscriptionStorage

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

    /// Writes the error that takes a subscription's place in an answer.
    mutating func itemError(_ error: ServerError, subscriptionID: SubscriptionID?) {
        object { writer in
            writer.member("subscriptionID", subscriptionID?.rawValue)
            writer.errorMembers(error)
        }
    }
}

extension ServerError {
    /// The error for an ID that no subscription has.
    static let subscriptionNotFound = ServerError(
        .subscriptionNotFound, "The subscription does not exist",
        field: "subscriptionID")
}
