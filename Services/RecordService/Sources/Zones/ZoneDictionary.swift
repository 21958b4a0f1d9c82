internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import ServiceMessages

/// Writes zones into answers (web-services 3.5).
struct ZoneDictionary {
    let tokens: ZoneTokenIssuer

    /// Writes a live zone with a token for its present state.
    func write(_ zone: ZoneEntry, changeSeq: Int64, to writer: inout WireWriter) {
        let token = tokens.token(row: zone.row, address: zone.address, reached: changeSeq)
        writer.zone(RecordAnswer(zone: zone.address).zoneID, syncToken: token)
    }

    /// Writes the default zone of a database that its user has not written to yet.
    func writeUnborn(_ address: ZoneAddress, to writer: inout WireWriter) {
        writer.zone(RecordAnswer(zone: address).zoneID)
    }
}
