internal import CloudKitModel
internal import CloudKitWire
internal import ServiceMessages

/// How zones are written into answers (web-services 3.5).
struct ZoneDictionary {
    let store: RecordStore

    /// Writes a live zone with a token for its present state.
    func write(_ zone: ZoneEntry, changeSeq: Int64, to writer: inout WireWriter) {
        let token = store.token(for: zone, position: changeSeq, horizon: changeSeq)
        writer.zone(
            RecordAnswer(zone: zone.address).zoneID, syncToken: token)
    }

    /// Writes the default zone of a database that its user has not written to yet.
    func writeUnborn(_ address: ZoneAddress, to writer: inout WireWriter) {
        writer.zone(
            RecordAnswer(zone: address).zoneID)
    }
}
