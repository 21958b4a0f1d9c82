package import CloudKitModel
package import CloudKitWire
package import ServiceMessages

/// `zones.purge`: deletes zones in a user's private database, for a reason that is reported to clients.
package struct ZonesPurgeRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.zonesPurge
    package static let wrongKinds = WrongKinds.ignored

    /// The container.
    package var container: String
    /// `development` or `production`.
    package var environment: String
    /// Always `private`, because zones in other databases cannot be purged.
    package var database: String
    /// The record name of the database's owner.
    package var owner: String
    /// `purged` or `encryptedDataReset`.
    package var reason: String
    /// Whether to purge all custom zones. If true, ``zones`` is nil.
    private var all: Bool?
    /// The names of the zones; nil for all custom zones.
    package var zones: [String]?

    /// Creates a request to purge the zones with these names, or all custom zones if `zones` is nil.
    package init(
        container: String, environment: EnvironmentName, owner: String, reason: ZoneDeletionReason, zones: [String]?
    ) {
        self.container = container
        self.environment = environment.rawValue
        database = DatabaseScope.private.wireName
        self.owner = owner
        self.reason = reason.rawValue
        all = zones == nil ? true : nil
        self.zones = zones
    }

    /// Reads a request.
    ///
    /// - Throws: `missing_key` if `zones` is not a list, or if `zones` is absent and `all` is not true.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        container = try members.decode(String.self, forKey: .container)
        environment = try members.decode(String.self, forKey: .environment)
        database = try members.decode(String.self, forKey: .database)
        owner = try members.decode(String.self, forKey: .owner)
        reason = try members.decode(String.self, forKey: .reason)
        all = try members.decodeIfPresent(Bool.self, forKey: .all)
        // An invalid list must not be ignored, because all zones would then be purged.
        if members.contains(.zones) || all != true { zones = try members.decode([String].self, forKey: .zones) }
    }

    /// The result of the request.
    package struct Answer: Codable, Sendable {
        /// The items, as in answers to `zones.modify`: one for each requested zone or, if all zones are purged, for
        /// each zone that was deleted.
        package var zones: [JSONValue]
        /// Whether some of the zones might still exist. One request deletes only a limited number of zones.
        package var moreComing: Bool
    }
}
