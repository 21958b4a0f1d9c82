import CloudKitWire

/// The bodies of `zones/modify`.
enum ZoneRequests {
    /// What is done to a zone. The raw value is the wire's word.
    enum Kind: String {
        case create
        case delete
    }

    /// Does `kind` to each of the zones.
    static func modify(_ kind: Kind, _ zones: [String]) -> JSONValue {
        [
            "operations": .array(
                zones.map { zone in
                    ["operationType": .string(kind.rawValue), "zone": ["zoneID": ["zoneName": .string(zone)]]]
                })
        ]
    }
}
