package import CloudKitWire
import ServiceMessages

/// The bodies of `zones.modify` requests.
package enum ZoneRequests {
    /// An operation on a zone. The raw value is its name in requests.
    package enum Kind: String {
        case create
        case delete
    }

    /// Returns the body that applies `kind` to each of the zones.
    package static func modify(_ kind: Kind, _ zones: [String]) -> JSONValue {
        [
            "operations": .array(
                zones.map { zone in
                    ["operationType": .string(kind.rawValue), "zone": ["zoneID": ["zoneName": .string(zone)]]]
                })
        ]
    }
}

extension Requester {
    /// Creates a zone unless it already exists.
    ///
    /// - Throws: the failure of the request or of the zone.
    package func makeZone(_ name: String, limit: Duration) async throws(RequestFailure) {
        let answer = try await ask(.zonesModify, ZoneRequests.modify(.create, [name]), limit: limit)
        if let refusal = answer["zones"]?[0].flatMap({ RequestFailure.Refusal($0) }) { throw .refused(refusal) }
    }

    /// Lists the zones of the database.
    ///
    /// - Throws: the request's failure.
    package func zones(limit: Duration = .requestLimit) async throws(RequestFailure) -> [ZonePlace] {
        let answer = try await ask(.zonesList, [:], limit: limit)
        return (answer["zones"]?.array ?? []).compactMap { zone in
            zone["zoneID"]?["zoneName"]?.string.map { name in
                ZonePlace(name, owner: zone["zoneID"]?["ownerRecordName"]?.string)
            }
        }
    }
}
