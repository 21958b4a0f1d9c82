internal import Crypto
package import Foundation
internal import ServiceMessages
internal import SubscriptionStorage

extension UUID {
    /// Creates the UUID of a name in a namespace (RFC 4122, version 5). The same name and namespace always give the
    /// same UUID.
    package init(version5 name: String, in namespace: UUID) {
        var hash = Insecure.SHA1()
        withUnsafeBytes(of: namespace.uuid) { hash.update(bufferPointer: $0) }
        var name = name
        name.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { bytes in
            for (index, byte) in hash.finalize().prefix(16).enumerated() { bytes[index] = byte }
            bytes[6] = bytes[6] & 0x0F | 0x50
            bytes[8] = bytes[8] & 0x3F | 0x80
        }
        self.init(uuid: bytes)
    }

    /// The text in lower case, as in Apple's notifications.
    var lowercaseText: String { uuidString.lowercased() }
}

/// The ids by which consumers recognize repeated notifications (`deploy/docs/messages.md`, Notifications).
enum NotificationID {
    /// Returns the id of a `zone.…` message.
    static func ofZone(_ event: ZoneChange) -> UUID {
        UUID(version5: "\(event.fromSeq)-\(event.toSeq)", in: event.incarnation)
    }

    /// Returns the `ck.nid` of a whole change, which is the same for all subscriptions to the zone or its database. The
    /// part of the name that would contain a record's name is empty.
    static func ofChange(_ event: ZoneChange) -> UUID {
        UUID(version5: "\(event.toSeq)/", in: event.incarnation)
    }

    /// Returns the `ck.nid` of a record's change, which is the same for every query subscription that the change
    /// matches.
    static func ofRecord(_ record: ChangedRecord, in event: ZoneChange) -> UUID {
        UUID(version5: "\(record.seq)/\(record.name)", in: event.incarnation)
    }

    /// Returns the id of a `user.…` message, derived from the subscription and the change's `ck.nid`.
    static func ofSubscription(_ subscription: UUID, change nid: UUID) -> UUID {
        UUID(version5: nid.lowercaseText, in: subscription)
    }
}
