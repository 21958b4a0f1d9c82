internal import CloudKitWire

/// Zones as JSON (web-services 3.4).
enum ZoneCoding {
    /// Reads a zone.
    ///
    /// - Throws: the error that the dictionary is; ``CKError/Code/internalError`` if it is not a zone.
    static func zone(from json: JSONValue, in database: WebDatabase) throws(CKError) -> CKRecordZone {
        if let fault = json.fault { throw fault.error() }
        guard let id = database.zoneID(json["zoneID"]) else { throw .unexpectedAnswer("a zone has no name") }
        var state = CKRecordZone.State()
        state.share = json["share"].flatMap { FieldCoding.reference(from: $0, in: id) }
        return CKRecordZone(id, state)
    }
}
