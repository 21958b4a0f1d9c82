import CloudKitWire
package import CommandLineSession

extension ZoneNotification {
    /// A notification as the subscription service sends it.
    package static func made(
        id: String? = nil, zone: String, incarnation: String = "i", from: Int64, to: Int64, records: [(String, String)],
        subscriptionID: String? = nil
    ) throws -> ZoneNotification {
        try ZoneNotification(
            JSONValue.object(having: [
                ("id", .string(id ?? "\(incarnation)/\(from)-\(to)/\(subscriptionID ?? "")")), ("zone", .string(zone)),
                ("incarnation", .string(incarnation)), ("fromSeq", .int(from)),
                ("toSeq", .int(to)), ("syncToken", .string("t\(to)")), ("at", 1_768_500_000_000),
                (
                    "records",
                    .array(
                        records.map {
                            ["recordName": .string($0.0), "recordType": "Note", "change": .string($0.1)]
                        })
                ),
                ("ck", subscriptionID.map { ["fet": ["sid": .string($0), "zid": .string(zone)]] }),
            ]).encoded())
    }
}
