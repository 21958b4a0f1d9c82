package import CloudKitModel

/// Writes the errors and zones of replies.
extension WireWriter {
    /// Writes the error of an item, in place of the item.
    /// - Parameters:
    ///   - recordName: The item's record; if nil, the record that the error names.
    ///   - zoneID: The item's zone; if nil, the zone that the error names, unless a record is named.
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

    /// Writes the body of the reply to a request that failed as a whole.
    /// - Parameters:
    ///   - uuid: The request's id, which is also in the log.
    ///   - redirectURL: The URL for signing in.
    ///   - records: Writes the elements of `records`, one for each operation. Used for atomic failures.
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

    /// Writes the keys of an error into an object that the caller has opened: CloudKit's own keys and those defined in
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

    /// Writes a zone dictionary. Custom zones are written as atomic, and default zones are not.
    /// - Parameters:
    ///   - syncToken: The zone's current token. Only zones with a change feed have one.
    ///   - deleted: Whether the zone was deleted; the key is omitted if nil.
    ///   - deletionReason: The reason why the zone was deleted; the key is omitted if nil.
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
