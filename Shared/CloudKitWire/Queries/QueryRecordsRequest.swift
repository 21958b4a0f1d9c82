package import CloudKitModel

/// The body of `records/query` (web-services 2.3), and of `records.explain`.
package struct QueryRecordsRequest: Hashable, Sendable {
    /// The query.
    package var query: WireQuery
    /// The zone or zones to search.
    package var scope = QueryScope()
    /// The maximum number of results; nil for the server's default.
    package var resultsLimit: Int?
    /// The marker from the previous page; nil for the first page.
    package var continuationMarker: String?
    /// The fields to return; nil for all, empty for none.
    package var desiredKeys: [String]?
    /// Whether numbers are returned as strings.
    package var numbersAsStrings = false

    /// Creates a request to send.
    package init(query: WireQuery, scope: QueryScope = QueryScope()) {
        self.query = query
        self.scope = scope
    }

    /// Decodes a body.
    /// - Throws: `BAD_REQUEST` if the body is invalid.
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

/// The zone or zones that a query searches.
package struct QueryScope: Hashable, Sendable {
    /// The zone; nil for the default zone.
    package var zoneID: ZoneID?
    /// Whether to search all zones in the database. Ignored if a zone is named.
    package var zoneWide: Bool

    /// Creates a scope of one zone or of all zones.
    package init(zoneID: ZoneID? = nil, zoneWide: Bool = false) {
        self.zoneID = zoneID
        self.zoneWide = zoneWide
    }

    /// Reads the value of `key` if it belongs to the scope; otherwise returns false.
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
