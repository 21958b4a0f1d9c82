package import CloudKitModel
package import CloudKitWire
import ServiceMessages

/// The bodies of `zones/modify` and `zones.purge`.
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

    /// Returns the body that purges `zones` of a user's private database; nil purges all custom zones.
    package static func purge(
        _ zones: [String]?, of owner: String, in scope: RequestScope, reason: ZoneDeletionReason
    ) -> JSONValue {
        [
            "container": .string(scope.container), "environment": .string(scope.environment.rawValue),
            "database": .string(scope.database.wireName), "owner": .string(owner), "reason": .string(reason.rawValue),
            zones == nil ? "all" : "zones": zones.map { .array($0.map { .string($0) }) } ?? true,
        ]
    }
}

extension Requester {
    /// Creates a zone, unless it exists.
    ///
    /// - Throws: the failure of the request or of the zone.
    package func makeZone(_ name: String, limit: Duration) async throws(RequestFailure) {
        let answer = try await ask(.zonesModify, ZoneRequests.modify(.create, [name]), limit: limit)
        if let refusal = answer["zones"]?[0].flatMap({ RequestFailure.Refusal($0) }) { throw .refused(refusal) }
    }
}
