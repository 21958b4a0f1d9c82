internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import ServiceMessages

/// Writes zones into answers (web-services 3.5).
struct ZoneDictionary {
    let tokens: ZoneTokenIssuer

    /// Writes a live zone with a sync token for its current state.
    func write(_ zone: ZoneEntry, changeSeq: Int64, to writer: inout WireWriter) {
        let token = tokens.token(row: zone.row, address: zone.address, reached: changeSeq)
        writer.zone(RecordAnswer(zone: zone.address).zoneID, syncToken: token)
    }

    /// Writes the default zone of a database that has not been created yet. It has no sync token.
    func writeUnborn(_ address: ZoneAddress, to writer: inout WireWriter) {
        writer.zone(RecordAnswer(zone: address).zoneID)
    }
}
