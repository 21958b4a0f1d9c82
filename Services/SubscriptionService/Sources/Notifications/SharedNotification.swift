internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import ServiceMessages
internal import SubscriptionStorage

/// The notification that share participants receive about a change in another user's zone. It contains the zone and the
/// records that they may see. It contains neither the owner's sync token nor change numbers, because hidden records are
/// numbered too.
struct SharedNotification: Sendable {
    /// The records; nil if they cannot be listed, in which case the client reads the change feed.
    let records: [ChangedRecord]?
    /// The JSON members that describe the change, without the enclosing braces.
    let members: [UInt8]

    /// Creates the notification of a change for users who may see `records`.
    init(_ change: ZoneChange, records: [ChangedRecord]?) {
        self.records = records
        let (event, address) = (change.event, change.event.address)
        var writer = WireWriter()
        writer.member("container", address.container)
        writer.member("environment", address.environment.rawValue)
        writer.member("scope", "shared")
        writer.member("owner", address.owner)
        writer.member("zone", address.zone.rawValue)
        writer.member("at", event.at)
        if event.isMerged { writer.member("merged", true) }
        if event.isDeletion { writer.member("deleted", true) }
        writer.key("records")
        if let listed = records.map(ChangeNotification.list), listed.count <= ChangeNotification.maxRecordsBytes {
            writer.raw(listed)
        } else {
            writer.null()
        }
        members = writer.bytes
    }
}
