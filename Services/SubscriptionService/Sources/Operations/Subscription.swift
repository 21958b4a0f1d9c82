internal import CloudKitModel
internal import CloudKitWire

/// A record-zone subscription: what a client saves and reads (web-services 3.8).
struct Subscription: Sendable, Equatable {
    /// Its name, unique among its user's in the database.
    var subscriptionID: String
    /// The zone it watches, with its owner.
    var zoneID: ZoneID
    /// How a notification is shown.
    var notificationInfo: NotificationInfo?
}

extension WireWriter {
    /// Writes a subscription dictionary.
    mutating func subscription(_ subscription: Subscription) {
        object { writer in
            writer.member("subscriptionID", subscription.subscriptionID)
            writer.member("subscriptionType", "zone")
            writer.key("zoneID")
            writer.zoneID(subscription.zoneID)
            if let info = subscription.notificationInfo {
                writer.key("notificationInfo")
                writer.value(info.json)
            }
        }
    }

    /// Writes the error that stands in a subscription's place.
    mutating func itemError(_ error: ServerError, subscriptionID: String?) {
        object { writer in
            writer.member("subscriptionID", subscriptionID)
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
