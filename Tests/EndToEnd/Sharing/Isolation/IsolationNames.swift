import CloudKitWire
import Foundation

/// The names that a request of the isolation tests contains: hidden ones, or made-up ones in their place.
struct IsolationNames: Sendable {
    var owner: String
    var zone: String
    var record: String
    var share: String
    var link: String
    var subscription: String
    /// The owner's participant id in the share.
    var participant: String
    /// What the caller has from the time with access; nil if the caller never had access.
    var old: Old?

    /// What a participant received while it had access.
    struct Old: Sendable {
        var zoneToken: String
        var marker: String
        var receipt: JSONValue
        var upload: String
    }

    /// The id of the zone.
    var zoneID: JSONValue { ["zoneName": .string(zone), "ownerRecordName": .string(owner)] }

    /// Returns an answer in a form that can be compared: without what differs between two answers to the same request,
    /// and with the same words in place of the names.
    func normalized(_ answer: SharingUser.Answer) -> String {
        var text = String(decoding: Self.stable(answer.body).encoded(), as: UTF8.self)
        for (name, word) in [
            (owner, "OWNER"), (zone, "ZONE"), (link, "LINK"), (record, "RECORD"), (share, "SHARE"),
            (subscription, "SUBSCRIPTION"), (participant, "PARTICIPANT"),
        ] {
            for mark in ["\"", "'"] { text = text.replacing(mark + name + mark, with: mark + word + mark) }
        }
        return "\(answer.status) \(text)"
    }

    /// The keys whose values differ between two answers to the same request.
    private static let unstable: Set<String> = [
        "uuid", "requestID", "redirectURL", "url", "downloadURL", "receipt", "timestamp", "syncToken",
        "continuationMarker",
        "milliseconds", "plan", "recordChangeTag", "apnsToken", "webcourierURL",
    ]

    private static func stable(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): .array(elements.map(stable))
        case .object(let members):
            .object(members.map { .init($0.key, unstable.contains($0.key) ? "*" : stable($0.value)) })
        default: value
        }
    }
}
