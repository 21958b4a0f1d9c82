package import CloudKitModel

/// What is asked of one zone's change feed.
package struct ZoneChangesQuery: Hashable, Sendable {
    /// The zone.
    package var zoneID: ZoneID
    /// Where the last page ended; nil is the zone's beginning.
    package var syncToken: String?
    /// The fields wanted; nil is all, empty is none.
    package var desiredKeys: [String]?
    /// The record types wanted; nil is all.
    package var desiredRecordTypes: [String]?
    /// The most records of a page; nil is the default.
    package var resultsLimit: Int?
    /// Newest first.
    package var reverse: Bool
    /// Whether numbers come back as strings.
    package var numbersAsStrings: Bool

    /// A query to send.
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

/// The body of `changes/zone`: several zones, each with what stands at top level as its defaults.
package struct ZoneChangesRequest: Hashable, Sendable {
    /// The zones, in the order of the reply.
    package var zones: [ZoneChangesQuery]

    /// A request to send.
    package init(zones: [ZoneChangesQuery]) { self.zones = zones }

    /// Reads a body.
    /// - Throws: `BAD_REQUEST`.
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

/// The body of `records/changes`, the older form for one zone.
package struct RecordChangesRequest: Hashable, Sendable {
    /// What is asked; the default zone if none was named, which has no feed.
    package var query: ZoneChangesQuery

    /// Reads a body.
    /// - Throws: `BAD_REQUEST`.
    package init(decoding body: [UInt8]) throws(ServerError) {
        query = try JSONScanner.scan(body) { scanner throws(WireFault) in
            var keys = try scanner.changesKeys { scanner, _ throws(WireFault) in try scanner.skipValue() }
            keys.zoneID = keys.zoneID ?? .defaultZone
            return try keys.query(defaults: ChangesKeys())
        }
    }
}

/// The keys of a change query as far as they are there.
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
    /// Passes an object with the keys of a change query; `other` passes the values of keys that are none.
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
