internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages

/// Asks the record service which zones exist.
struct ZoneCheck: Sendable {
    let client: RecordServiceClient

    /// Returns an error for each of `zones` that does not exist for the caller of `request`, keyed by zone name.
    ///
    /// - Throws: the same errors as ``RecordServiceClient/ask(_:_:for:)``.
    func missing(_ zones: [ZoneID], for request: OpenedRequest) async throws -> [ZoneName: ServerError] {
        guard !zones.isEmpty else { return [:] }
        var writer = WireWriter()
        writer.lookupZones(LookupZonesRequest(zones: Array(Set(zones))))
        let reply = try WireReply(decoding: try await client.ask(.zonesLookup, writer.bytes, for: request))
        if let error = reply.error { throw error }
        var missing: [ZoneName: ServerError] = [:]
        for zone in reply.zones ?? [] { missing[zone.zoneID?.zoneName ?? .defaultZone] = zone.error }
        return missing
    }
}
