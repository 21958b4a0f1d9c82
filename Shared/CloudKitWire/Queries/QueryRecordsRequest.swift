package import CloudKitModel

/// The body of `records/query` (web-services 2.3). `records.explain` takes the same.
package struct QueryRecordsRequest: Hashable, Sendable {
    /// What is asked for.
    package var query: WireQuery
    /// Where it is looked for.
    package var scope = QueryScope()
    /// The largest number of results; nil leaves it to the server.
    package var resultsLimit: Int?
    /// Where the page before ended.
    package var continuationMarker: String?
    /// The fields wanted; nil is all, empty is none.
    package var desiredKeys: [String]?
    /// Whether numbers come back as strings.
    package var numbersAsStrings = false

    /// A request to send.
    package init(query: WireQuery, scope: QueryScope = QueryScope()) {
        self.query = query
        self.scope = scope
    }

    /// Reads a body.
    /// - Throws: `BAD_REQUEST`.
    package init(decoding body: [UInt8]) throws(ServerError) {
        self = try JSONScanner.scan(body) { scanner throws(WireFault) in
            var query: WireQuery?
            var request = QueryRecordsRequest(query: WireQuery(recordType: ""))
            try scanner.open(UInt8(ascii: "{"))
            var isFirst = true
            while let key = try scanner.nextKey(isFirst: &isFirst) {
                if scanner.matches(key, "query") {
                    query = try scanner.optionalQuery()
                } else if scanner.matches(key, "resultsLimit") {
                    request.resultsLimit = try scanner.optionalResultsLimit()
                } else if scanner.matches(key, "continuationMarker") {
                    request.continuationMarker = try scanner.optionalString("continuationMarker")
                } else if scanner.matches(key, "desiredKeys") {
                    request.desiredKeys = try scanner.optionalStrings("desiredKeys")
                } else if scanner.matches(key, "numbersAsStrings") || scanner.matches(key, "numberAsStrings") {
                    request.numbersAsStrings = try scanner.optionalBool("numbersAsStrings") ?? false
                } else if try !request.scope.read(key, &scanner) {
                    try scanner.skipValue()
                }
            }
            guard let query else { throw .content(.missingKey("query")) }
            request.query = query
            return request
        }
    }
}

/// Where a query looks.
package struct QueryScope: Hashable, Sendable {
    /// The zone; nil is the default zone.
    package var zoneID: ZoneID?
    /// All zones of the database, unless a zone is named.
    package var zoneWide: Bool

    /// A zone, or all of them.
    package init(zoneID: ZoneID? = nil, zoneWide: Bool = false) {
        self.zoneID = zoneID
        self.zoneWide = zoneWide
    }

    /// Reads the value of `key` if that is one of the scope's.
    mutating func read(_ key: Token, _ scanner: inout JSONScanner) throws(WireFault) -> Bool {
        if scanner.matches(key, "zoneID") {
            zoneID = try scanner.optionalZoneID("zoneID")
        } else if scanner.matches(key, "zoneWide") {
            zoneWide = try scanner.optionalBool("zoneWide") ?? false
        } else {
            return false
        }
        return true
    }
}
