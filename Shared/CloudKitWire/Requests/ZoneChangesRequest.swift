package import CloudKitModel

/// A request for the change feed of one zone.
package struct ZoneChangesQuery: Hashable, Sendable {
    /// The zone.
    package var zoneID: ZoneID
    /// The token from the previous page; nil to start at the beginning of the feed.
    package var syncToken: String?
    /// The fields to return; nil for all, empty for none.
    package var desiredKeys: [String]?
    /// The record types to return; nil for all.
    package var desiredRecordTypes: [String]?
    /// The maximum number of records per page; nil for the server's default.
    package var resultsLimit: Int?
    /// Whether the newest changes are returned first.
    package var reverse: Bool
    /// Whether numbers are returned as strings.
    package var numbersAsStrings: Bool

    /// Creates a query to send.
    package init(
        zoneID: ZoneID, syncToken: String? = nil, desiredKeys: [String]? = nil, desiredRecordTypes: [String]? = nil,
        resultsLimit: Int? = nil, reverse: Bool = false, numbersAsStrings: Bool = false
    ) {
        self.zoneID = zoneID
        self.syncToken = syncToken
        self.desiredKeys = desiredKeys
        self.desiredRecordTypes = desiredRecordTypes
        self.resultsLimit = resultsLimit
        self.reverse = reverse
        self.numbersAsStrings = numbersAsStrings
    }
}

/// The body of `changes/zone`, which can name several zones. The top-level keys are the defaults for each zone.
package struct ZoneChangesRequest: Hashable, Sendable {
    /// The zones, in the order of the reply.
    package var zones: [ZoneChangesQuery]

    /// Creates a request to send.
    package init(zones: [ZoneChangesQuery]) { self.zones = zones }

    /// Decodes a body.
    /// - Throws: `BAD_REQUEST` if the body is invalid.
    package init(decoding body: [UInt8], limits: Limits = Limits()) throws(ServerError) {
        zones = try JSONScanner.scan(body) { scanner throws(WireFault) in
            var items: [ChangesKeys]?
            var count = 0
            let defaults = try scanner.changesKeys { scanner, key throws(WireFault) in
                guard scanner.matches(key, "zones") else { return try scanner.skipValue() }
                var read: [ChangesKeys] = []
                try scanner.elements("zones") { scanner throws(WireFault) in
                    count += 1
                    guard count <= limits.maxZonesPerRequest else { return try scanner.skipValue() }
                    read.append(try scanner.changesKeys { scanner, _ throws(WireFault) in try scanner.skipValue() })
                }
                items = read
            }
            guard count <= limits.maxZonesPerRequest else {
                throw .content(.tooMany("zones", limit: limits.maxZonesPerRequest, actual: count))
            }
            guard let items else { throw .content(.missingKey("zones")) }
            var queries: [ZoneChangesQuery] = []
            for item in items { queries.append(try item.query(defaults: defaults)) }
            return queries
        }
    }
}

/// The body of `records/changes`, the older form of `changes/zone` for a single zone.
package struct RecordChangesRequest: Hashable, Sendable {
    /// The query. If the body has no `zoneID`, the query concerns the default zone, which has no change feed in the
    /// `compat` profile.
    package var query: ZoneChangesQuery

    /// Decodes a body.
    /// - Throws: `BAD_REQUEST` if the body is invalid.
    package init(decoding body: [UInt8]) throws(ServerError) {
        query = try JSONScanner.scan(body) { scanner throws(WireFault) in
            var keys = try scanner.changesKeys { scanner, _ throws(WireFault) in try scanner.skipValue() }
            keys.zoneID = keys.zoneID ?? .defaultZone
            return try keys.query(defaults: ChangesKeys())
        }
    }
}

/// The keys that have been read so far from a request for a change feed.
private struct ChangesKeys {
    var zoneID: ZoneID?
    var syncToken: String?
    var desiredKeys: [String]?
    var desiredRecordTypes: [String]?
    var resultsLimit: Int?
    var reverse: Bool?
    var numbersAsStrings: Bool?

    func query(defaults: ChangesKeys) throws(WireFault) -> ZoneChangesQuery {
        guard let zoneID = zoneID ?? defaults.zoneID else { throw .content(.missingKey("zoneID")) }
        return ZoneChangesQuery(
            zoneID: zoneID, syncToken: syncToken ?? defaults.syncToken,
            desiredKeys: desiredKeys ?? defaults.desiredKeys,
            desiredRecordTypes: desiredRecordTypes ?? defaults.desiredRecordTypes,
            resultsLimit: resultsLimit ?? defaults.resultsLimit, reverse: reverse ?? defaults.reverse ?? false,
            numbersAsStrings: numbersAsStrings ?? defaults.numbersAsStrings ?? false)
    }
}

extension JSONScanner {
    /// Scans an object with the keys of a request for a change feed. `other` must consume the values of all other keys.
    fileprivate mutating func changesKeys(
        _ other: (inout JSONScanner, Token) throws(WireFault) -> Void
    ) throws(WireFault) -> ChangesKeys {
        guard peek() == UInt8(ascii: "{") else { throw wrongKind("zones", "an array of dictionaries") }
        var keys = ChangesKeys()
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "zoneID") {
                keys.zoneID = try optionalZoneID("zoneID")
            } else if matches(key, "syncToken") {
                keys.syncToken = try optionalString("syncToken")
            } else if matches(key, "desiredKeys") {
                keys.desiredKeys = try optionalStrings("desiredKeys")
            } else if matches(key, "desiredRecordTypes") {
                keys.desiredRecordTypes = try optionalStrings("desiredRecordTypes")
            } else if matches(key, "resultsLimit") {
                keys.resultsLimit = try optionalResultsLimit()
            } else if matches(key, "reverse") {
                keys.reverse = try optionalBool("reverse")
            } else if matches(key, "numbersAsStrings") || matches(key, "numberAsStrings") {
                keys.numbersAsStrings = try optionalBool("numbersAsStrings")
            } else {
                try other(&self, key)
            }
        }
        return keys
    }
}
