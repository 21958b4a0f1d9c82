package import CloudKitModel

/// The body of `records/lookup`.
package struct LookupRecordsRequest: Hashable, Sendable {
    /// A record to fetch.
    package struct Item: Hashable, Sendable {
        /// The record's name. An invalid name is reported as not found.
        package var recordName: RecordName
        /// The fields to return for this record; nil for the request's ``LookupRecordsRequest/desiredKeys``.
        package var desiredKeys: [String]?

        /// Creates an item to send.
        package init(recordName: RecordName, desiredKeys: [String]? = nil) {
            self.recordName = recordName
            self.desiredKeys = desiredKeys
        }
    }

    /// The records, in the order of the reply.
    package var records: [Item] = []
    /// The zone; nil for the default zone.
    package var zoneID: ZoneID?
    /// The fields to return; nil for all, empty for none.
    package var desiredKeys: [String]?
    /// Whether numbers are returned as strings.
    package var numbersAsStrings = false

    /// Creates a request to send.
    package init(records: [Item], zoneID: ZoneID? = nil) {
        self.records = records
        self.zoneID = zoneID
    }

    /// Decodes a body. `records` may be a single object instead of an array.
    /// - Throws: `BAD_REQUEST` if the body is invalid or names too many records.
    package init(decoding body: [UInt8], limits: Limits = Limits()) throws(ServerError) {
        self = try JSONScanner.scan(body) { scanner throws(WireFault) in
            var request = LookupRecordsRequest(records: [])
            try request.read(&scanner, limits: limits)
            return request
        }
    }

    private mutating func read(_ scanner: inout JSONScanner, limits: Limits) throws(WireFault) {
        var items: [Item] = []
        var count = 0
        var hasRecords = false
        try scanner.open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try scanner.nextKey(isFirst: &isFirst) {
            if scanner.matches(key, "records") {
                hasRecords = true
                try scanner.elements("records") { scanner throws(WireFault) in
                    count += 1
                    guard count <= limits.maxLookupsPerRequest else { return try scanner.skipValue() }
                    items.append(try Self.item(&scanner))
                }
            } else if scanner.matches(key, "zoneID") {
                zoneID = try scanner.optionalZoneID("zoneID")
            } else if scanner.matches(key, "desiredKeys") {
                desiredKeys = try scanner.optionalStrings("desiredKeys")
            } else if scanner.matches(key, "numbersAsStrings") || scanner.matches(key, "numberAsStrings") {
                numbersAsStrings = try scanner.optionalBool("numbersAsStrings") ?? false
            } else {
                try scanner.skipValue()
            }
        }
        guard hasRecords else { throw .content(.missingKey("records")) }
        guard count <= limits.maxLookupsPerRequest else {
            throw .content(.tooMany("records", limit: limits.maxLookupsPerRequest, actual: count))
        }
        records = items
    }

    private static func item(_ scanner: inout JSONScanner) throws(WireFault) -> Item {
        guard scanner.peek() == UInt8(ascii: "{") else {
            throw scanner.wrongKind("records", "an array of dictionaries")
        }
        var name: String?
        var desiredKeys: [String]?
        try scanner.open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try scanner.nextKey(isFirst: &isFirst) {
            if scanner.matches(key, "recordName") {
                name = try scanner.optionalString("recordName")
            } else if scanner.matches(key, "desiredKeys") {
                desiredKeys = try scanner.optionalStrings("desiredKeys")
            } else {
                try scanner.skipValue()
            }
        }
        guard let name else { throw .content(.missingKey("recordName")) }
        return Item(recordName: RecordName(unchecked: name), desiredKeys: desiredKeys)
    }
}
