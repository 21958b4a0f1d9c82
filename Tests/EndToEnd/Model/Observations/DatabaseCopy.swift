import CloudKitWire
import TestSupport

/// A syncing client's copy of a database: a token, and a copy of each zone at that time.
struct DatabaseCopy: Sendable {
    private(set) var token: String?
    private(set) var zones: [String: ZoneCopy] = [:]

    /// Syncs as the documentation requires (semantics 8.5): lists the zones that changed, removes the deleted ones, and
    /// reads the feeds of the others.
    ///
    /// - Parameter limit: the number of zones in a page.
    /// - Throws: ``TestFailure`` if the feed is refused.
    mutating func sync(as client: TestClient, limit: Int64? = nil) async throws {
        var isMore = true
        while isMore {
            let page = try await client.databaseChanges(since: token, limit: limit)
            guard page.status == 200, let listed = page["zones"]?.array, let next = page.body.syncToken else {
                throw TestFailure("the database's feed is refused: \(page.body)")
            }
            isMore = page["moreComing"] == true
            if isMore, next == token { throw TestFailure("more is coming and the token stays: \(page.body)") }
            for zone in listed {
                guard let name = zone["zoneID"]?["zoneName"]?.string else { throw TestFailure("no zone: \(zone)") }
                zones[name] = zone["deleted"] == true ? nil : try await read(name, as: client)
            }
            token = next
        }
    }

    /// - Returns: nil if the zone has been deleted in the meantime.
    private func read(_ name: String, as client: TestClient) async throws -> ZoneCopy? {
        var copy = zones[name] ?? ZoneCopy(of: name)
        var end = try await copy.fetch(as: client)
        // The zone was created again, perhaps once more while it is being read.
        while end == .expired {
            copy = ZoneCopy(of: name)
            end = try await copy.fetch(as: client)
        }
        guard end == .reached || end == .missing else { throw TestFailure("zone \(name): \(end)") }
        return end == .reached ? copy : nil
    }
}
