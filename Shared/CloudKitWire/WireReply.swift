package import CloudKitModel

/// A reply as the client reads it: whichever of the keys it has.
package struct WireReply: Hashable, Sendable {
    /// An element of `records`: a record, a tombstone, or an error.
    package struct Record: Hashable, Sendable {
        /// Name, type, tag, fields and parent. Of a tombstone or error only the name.
        package var record = WireRecord()
        /// Its first save.
        package var created: RecordEnvelope.Stamp?
        /// Its last save.
        package var modified: RecordEnvelope.Stamp?
        /// Whether it was deleted.
        package var isDeleted = false
        /// Its zone, where the reply names it.
        package var zoneID: ZoneID?
        /// Why the item failed.
        package var error: ServerError?
        /// With a conflict, the record as the server has it: one element or none.
        package var serverRecord: [Record] = []

        /// The value of a field; nil if it has none.
        package func value(_ name: String) -> FieldValue? {
            record.fields.first { $0.name == name }?.value
        }
    }

    /// An element of `zones`: a zone, a page of its changes, or an error.
    package struct Zone: Hashable, Sendable {
        /// The zone.
        package var zoneID: ZoneID?
        /// Its token, or the page's.
        package var syncToken: String?
        /// Whether there are more changes.
        package var moreComing = false
        /// Whether it saves atomically.
        package var atomic: Bool?
        /// Whether it was deleted.
        package var isDeleted = false
        /// The page's records.
        package var records: [Record] = []
        /// Why the item failed.
        package var error: ServerError?
    }

    /// The records, nil if the reply has no such key.
    package var records: [Record]?
    /// The zones, nil if the reply has no such key.
    package var zones: [Zone]?
    /// The token of a feed.
    package var syncToken: String?
    /// The token of `zones/changes`.
    package var metaSyncToken: String?
    /// Where the next page of a query begins.
    package var continuationMarker: String?
    /// Whether there are more changes.
    package var moreComing = false
    /// Why the whole request failed.
    package var error: ServerError?
    /// The request's id, with an error.
    package var uuid: String?

    /// Reads a body.
    /// - Throws: `BAD_REQUEST` telling what is wrong with it.
    package init(decoding body: [UInt8]) throws(ServerError) {
        self = try JSONScanner.scan(body) { scanner throws(WireFault) in
            var reply = WireReply()
            try reply.read(&scanner)
            return reply
        }
    }

    private init() {}

    private mutating func read(_ scanner: inout JSONScanner) throws(WireFault) {
        var parts = ErrorParts()
        try scanner.open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try scanner.nextKey(isFirst: &isFirst) {
            if scanner.matches(key, "records") {
                records = try scanner.replyRecords()
            } else if scanner.matches(key, "zones") {
                zones = try scanner.replyZones()
            } else if scanner.matches(key, "syncToken") {
                syncToken = try scanner.optionalString("syncToken")
            } else if scanner.matches(key, "metaSyncToken") {
                metaSyncToken = try scanner.optionalString("metaSyncToken")
            } else if scanner.matches(key, "continuationMarker") {
                continuationMarker = try scanner.optionalString("continuationMarker")
            } else if scanner.matches(key, "moreComing") {
                moreComing = try scanner.optionalBool("moreComing") ?? false
            } else if scanner.matches(key, "uuid") {
                uuid = try scanner.optionalString("uuid")
            } else if try !parts.read(key, &scanner) {
                try scanner.skipValue()
            }
        }
        error = parts.error
    }
}
