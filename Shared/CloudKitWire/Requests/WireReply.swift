package import CloudKitModel

/// A reply as decoded by a client.
package struct WireReply: Hashable, Sendable {
    /// An element of `records`: a record, a tombstone, or an error.
    package struct Record: Hashable, Sendable {
        /// The name, type, change tag, fields and parent. For an error, only the name is set; for a tombstone, only the
        /// name and possibly the type.
        package var record = WireRecord()
        /// The stamp of the first save.
        package var created: RecordEnvelope.Stamp?
        /// The stamp of the last save.
        package var modified: RecordEnvelope.Stamp?
        /// Whether the record was deleted.
        package var isDeleted = false
        /// The zone; nil if the reply does not name it.
        package var zoneID: ZoneID?
        /// The error of the item; nil if the item succeeded.
        package var error: ServerError?
        /// For a conflict, the server's record; otherwise empty.
        package var serverRecord: [Record] = []

        /// Returns the value of a field; nil if the field has none.
        package func value(_ name: String) -> FieldValue? {
            record.fields.first { $0.name == name }?.value
        }
    }

    /// An element of `zones`: a zone, a page of its changes, or an error.
    package struct Zone: Hashable, Sendable {
        /// The zone.
        package var zoneID: ZoneID?
        /// The change token of the zone or of the page.
        package var syncToken: String?
        /// Whether there are more changes.
        package var moreComing = false
        /// Whether the zone supports atomic saves.
        package var atomic: Bool?
        /// Whether the zone was deleted.
        package var isDeleted = false
        /// The records of the page.
        package var records: [Record] = []
        /// The error of the item; nil if the item succeeded.
        package var error: ServerError?
    }

    /// The records; nil if the reply has no `records`.
    package var records: [Record]?
    /// The zones; nil if the reply has no `zones`.
    package var zones: [Zone]?
    /// The token from which the change feed continues.
    package var syncToken: String?
    /// The token from which `zones/changes` continues.
    package var metaSyncToken: String?
    /// The marker for requesting the next page of a query; nil after the last page.
    package var continuationMarker: String?
    /// Whether there are more changes.
    package var moreComing = false
    /// The error of the whole request; nil if the request succeeded.
    package var error: ServerError?
    /// The request's id; nil unless the request failed.
    package var uuid: String?

    /// Decodes a body.
    /// - Throws: `BAD_REQUEST` if the body is not a valid reply.
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
