package import CloudKitModel

/// Writes the errors and zones of replies.
extension WireWriter {
    /// Writes the error of an item in the item's place.
    /// - Parameters:
    ///   - recordName: The record of the item; if nil, the error's own.
    ///   - zoneID: The zone of the item; if nil, the error's own. Omitted if a record is named.
    ///   - serverRecord: Writes the server's record, for conflicts.
    package mutating func itemError(
        _ error: ServerError, recordName: RecordName? = nil, zoneID: ZoneID? = nil,
        serverRecord: ((inout WireWriter) -> Void)? = nil
    ) {
        beginObject()
        let name = recordName ?? error.recordName
        member("recordName", name)
        if let zoneID = zoneID ?? (name == nil ? error.zoneID : nil) {
            key("zoneID")
            self.zoneID(zoneID)
        }
        errorMembers(error)
        if let serverRecord {
            key("serverRecord")
            serverRecord(&self)
        }
        endObject()
    }

    /// Writes the body of a reply to a request that failed as a whole.
    /// - Parameters:
    ///   - uuid: The request's id, which is also logged.
    ///   - redirectURL: The URL for signing in.
    ///   - records: Writes the elements of `records`, one for each operation, after an atomic failure.
    package mutating func requestError(
        _ error: ServerError, uuid: String, redirectURL: String? = nil,
        records: ((inout WireWriter) -> Void)? = nil
    ) {
        requestID = uuid
        beginObject()
        member("uuid", uuid)
        member("recordName", error.recordName)
        if let zoneID = error.zoneID {
            key("zoneID")
            self.zoneID(zoneID)
        }
        errorMembers(error)
        member("redirectURL", redirectURL)
        if let records {
            key("records")
            beginArray()
            records(&self)
            endArray()
        }
        endObject()
    }

    /// Writes the keys that all errors have into an object that the caller opened: CloudKit's own keys and those of
    /// semantics 13.4.
    package mutating func errorMembers(_ error: ServerError) {
        errorCodes.append(error.code)
        member("serverErrorCode", error.code.rawValue)
        member("reason", error.reason)
        member("reasonCode", error.reasonCode)
        member("ckErrorCode", error.ckErrorCode)
        member("field", isForWeb ? error.field.map(WebField.name(of:)) : error.field)
        member("recordType", error.recordType)
        member("limit", error.limit)
        member("actual", error.actual)
        member("retryAfter", error.retryAfter)
        member("line", error.line)
        member("column", error.column)
        member("requestID", requestID)
        if let known = ReasonCode(error.reasonCode) {
            member("hint", known.entry.hint(isForWeb: isForWeb))
            member("documentation", known.documentation)
        }
        if error.isEncryptedDataReset { member("encryptedDataReset", true) }
    }

    /// Writes a zone dictionary. Custom zones are atomic, default zones are not.
    /// - Parameters:
    ///   - syncToken: The zone's current token. Only zones with a change feed have one.
    ///   - deleted: Written next to the zone's identity; omitted if nil.
    ///   - deletionReason: The reason the zone was deleted.
    package mutating func zone(
        _ zoneID: ZoneID, syncToken: String? = nil, deleted: Bool? = nil, deletionReason: ZoneDeletionReason? = nil
    ) {
        beginObject()
        key("zoneID")
        self.zoneID(zoneID)
        member("syncToken", syncToken)
        if deleted != true { member("atomic", !zoneID.isDefault) }
        member("deleted", deleted)
        member("deletionReason", deletionReason?.rawValue)
        endObject()
    }
}
