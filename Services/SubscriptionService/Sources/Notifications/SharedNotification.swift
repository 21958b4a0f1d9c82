internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import RequestServing
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
    /// The time that the notification states, in milliseconds since 1970. For merged changes, it is the time of the
    /// notification, because the last of them might be a change that the users may not see.
    let at: Int64

    /// The approximate size of a notification, in bytes.
    var size: Int { members.count + 512 }

    /// Creates the notification of a change for the users of a view.
    init(_ change: ZoneChange, to view: SharedReach.View) {
        self.init(change, records: view.records, seesDeletion: view.seesDeletion)
    }

    /// Creates the notification of a change for users who may see `records` and, if `seesDeletion` is true, the deletion
    /// of the zone.
    init(_ change: ZoneChange, records: [ChangedRecord]?, seesDeletion: Bool) {
        self.records = records
        let (event, address) = (change.event, change.event.address)
        at = event.isMerged ? SystemClock.milliseconds() : event.at
        var writer = WireWriter()
        writer.member("container", address.container)
        writer.member("environment", address.environment.rawValue)
        writer.member("scope", "shared")
        writer.member("owner", address.owner)
        writer.member("zone", address.zone.rawValue)
        writer.member("at", at)
        if event.isMerged { writer.member("merged", true) }
        if seesDeletion { writer.member("deleted", true) }
        writer.key("records")
        if let listed = records.map(ChangeNotification.list), listed.count <= ChangeNotification.maxRecordsBytes {
            writer.raw(listed)
        } else {
            writer.null()
        }
        members = writer.bytes
    }
}
