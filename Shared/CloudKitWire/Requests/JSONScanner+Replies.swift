internal import CloudKitModel

/// The keys that have been read so far from an error.
struct ErrorParts {
    private var code: String?
    private var reason: String?
    private var reasonCode: String?
    private var ckErrorCode: Int64?
    private var field: String?
    private var limit: Int64?
    private var actual: Int64?
    private var retryAfter: Int64?

    /// Reads the value of `key` if the key belongs to an error. Otherwise returns false, and the caller must read the
    /// value.
    mutating func read(_ key: Token, _ scanner: inout JSONScanner) throws(WireFault) -> Bool {
        if scanner.matches(key, "serverErrorCode") {
            code = try scanner.optionalString("serverErrorCode")
        } else if scanner.matches(key, "reason") {
            reason = try scanner.optionalString("reason")
        } else if scanner.matches(key, "reasonCode") {
            reasonCode = try scanner.optionalString("reasonCode")
        } else if scanner.matches(key, "ckErrorCode") {
            ckErrorCode = try scanner.optionalInt64("ckErrorCode")
        } else if scanner.matches(key, "field") {
            field = try scanner.optionalString("field")
        } else if scanner.matches(key, "limit") {
            limit = try scanner.optionalInt64("limit")
        } else if scanner.matches(key, "actual") {
            actual = try scanner.optionalInt64("actual")
        } else if scanner.matches(key, "retryAfter") {
            retryAfter = try scanner.optionalInt64("retryAfter")
        } else {
            return false
        }
        return true
    }

    /// The error; nil if no code was read. An unknown code, for example from a newer server, becomes an internal error.
    var error: ServerError? {
        guard let code else { return nil }
        return ServerError(
            reported: ServerErrorCode(rawValue: code) ?? .internalError, ckErrorCode: ckErrorCode.map(Int.init),
            reasonCode: reasonCode ?? "", reason: reason ?? code, field: field, limit: limit.map(Int.init),
            actual: actual.map(Int.init), retryAfter: retryAfter.map(Int.init))
    }
}

extension JSONScanner {
    mutating func replyRecords() throws(WireFault) -> [WireReply.Record] {
        var records: [WireReply.Record] = []
        try elements("records") { scanner throws(WireFault) in
            records.append(try scanner.replyRecord(expectedFields: records.last?.record.fields.count ?? 8))
        }
        return records
    }

    private mutating func replyRecord(expectedFields: Int) throws(WireFault) -> WireReply.Record {
        guard peek() == UInt8(ascii: "{") else { throw wrongKind("records", "an array of dictionaries") }
        var item = WireReply.Record()
        var parts = ErrorParts()
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "recordName") {
                item.record.recordName = try optionalString("recordName").map(RecordName.init(unchecked:))
            } else if matches(key, "recordType") {
                item.record.recordType = try optionalString("recordType")
            } else if matches(key, "recordChangeTag") {
                item.record.recordChangeTag = try optionalString("recordChangeTag")
            } else if matches(key, "fields") {
                if try !skipNull() {
                    item.record.fields = try fields(expected: expectedFields, checksNames: false)
                }
            } else if matches(key, "created") {
                item.created = try stamp()
            } else if matches(key, "modified") {
                item.modified = try stamp()
            } else if matches(key, "deleted") {
                item.isDeleted = try optionalBool("deleted") ?? false
            } else if matches(key, "zoneID") {
                item.zoneID = try optionalZoneID("zoneID")
            } else if matches(key, "parent") {
                item.record.parent = try parent()
            } else if matches(key, "serverRecord") {
                if try !skipNull() { item.serverRecord = [try replyRecord(expectedFields: expectedFields)] }
            } else if try !parts.read(key, &self) {
                try skipValue()
            }
        }
        item.error = parts.error?.about(recordName: item.record.recordName)
        return item
    }

    private mutating func stamp() throws(WireFault) -> RecordEnvelope.Stamp? {
        if try skipNull() { return nil }
        guard peek() == UInt8(ascii: "{") else { throw wrongKind("created", "a dictionary") }
        var stamp = RecordEnvelope.Stamp(timestamp: 0, userRecordName: "", deviceID: "")
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "timestamp") {
                stamp.timestamp = try optionalInt64("timestamp") ?? 0
            } else if matches(key, "userRecordName") {
                stamp.userRecordName = try optionalString("userRecordName") ?? ""
            } else if matches(key, "deviceID") {
                stamp.deviceID = try optionalString("deviceID") ?? ""
            } else {
                try skipValue()
            }
        }
        return stamp
    }

    mutating func replyZones() throws(WireFault) -> [WireReply.Zone] {
        var zones: [WireReply.Zone] = []
        try elements("zones") { scanner throws(WireFault) in zones.append(try scanner.replyZone()) }
        return zones
    }

    private mutating func replyZone() throws(WireFault) -> WireReply.Zone {
        guard peek() == UInt8(ascii: "{") else { throw wrongKind("zones", "an array of dictionaries") }
        var zone = WireReply.Zone()
        var parts = ErrorParts()
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "zoneID") {
                zone.zoneID = try optionalZoneID("zoneID")
            } else if matches(key, "syncToken") {
                zone.syncToken = try optionalString("syncToken")
            } else if matches(key, "moreComing") {
                zone.moreComing = try optionalBool("moreComing") ?? false
            } else if matches(key, "atomic") {
                zone.atomic = try optionalBool("atomic")
            } else if matches(key, "deleted") {
                zone.isDeleted = try optionalBool("deleted") ?? false
            } else if matches(key, "records") {
                zone.records = try replyRecords()
            } else if try !parts.read(key, &self) {
                try skipValue()
            }
        }
        zone.error = parts.error?.about(zoneID: zone.zoneID)
        return zone
    }
}
