package import CloudKitModel

/// The body of `records/modify`.
package struct ModifyRecordsRequest: Hashable, Sendable {
    /// The operations, in order. An invalid operation contains its error.
    package var operations: [WireOperation] = []
    /// The zone of all operations; nil for the default zone.
    package var zoneID: ZoneID?
    /// Whether the operations succeed or fail together. Nil means true in custom zones and false in default zones.
    package var atomic: Bool?
    /// The fields to return; nil for all, empty for none.
    package var desiredKeys: [String]?
    /// Whether numbers are returned as strings.
    package var numbersAsStrings = false

    /// Creates a request to send.
    package init(operations: [WireOperation], zoneID: ZoneID? = nil, atomic: Bool? = nil) {
        self.operations = operations
        self.zoneID = zoneID
        self.atomic = atomic
    }

    /// Decodes a body in one pass. Does not retain the body.
    /// - Throws: `BAD_REQUEST` if the body is not JSON, has no `operations`, or has too many of them.
    package init(decoding body: [UInt8], limits: Limits = Limits()) throws(ServerError) {
        self.operations = []
        self = try JSONScanner.scan(body) { scanner throws(WireFault) in
            var request = ModifyRecordsRequest(operations: [])
            try request.read(&scanner, limits: limits)
            return request
        }
    }

    private mutating func read(_ scanner: inout JSONScanner, limits: Limits) throws(WireFault) {
        var hasOperations = false
        try scanner.open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try scanner.nextKey(isFirst: &isFirst) {
            if scanner.matches(key, "operations") {
                hasOperations = true
                try readOperations(&scanner, limits: limits)
            } else if scanner.matches(key, "zoneID") {
                zoneID = try scanner.optionalZoneID("zoneID")
            } else if scanner.matches(key, "atomic") {
                atomic = try scanner.optionalBool("atomic")
            } else if scanner.matches(key, "desiredKeys") {
                desiredKeys = try scanner.optionalStrings("desiredKeys")
            } else if scanner.matches(key, "numbersAsStrings") || scanner.matches(key, "numberAsStrings") {
                numbersAsStrings = try scanner.optionalBool("numbersAsStrings") ?? false
            } else {
                try scanner.skipValue()
            }
        }
        guard hasOperations else { throw .content(.missingKey("operations")) }
    }

    private mutating func readOperations(_ scanner: inout JSONScanner, limits: Limits) throws(WireFault) {
        var count = 0
        // Consecutive records tend to have the same number of fields.
        var expectedFields = 8
        var read: [WireOperation] = []
        try scanner.elements("operations") { scanner throws(WireFault) in
            count += 1
            // Operations beyond the limit are discarded but counted, because the error contains the total number.
            guard count <= limits.maxOperationsPerRequest else { return try scanner.skipValue() }
            let operation = try scanner.operation(expectedFields: expectedFields)
            expectedFields = max(operation.record.fields.count, 1)
            read.append(operation)
        }
        guard count <= limits.maxOperationsPerRequest else {
            throw .content(.tooMany("operations", limit: limits.maxOperationsPerRequest, actual: count))
        }
        operations = read
    }
}
