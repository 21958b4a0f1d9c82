import CloudKitWire
import TestSupport

/// What a syncing client knows of a database: a token and, of each zone, a copy as it was then.
struct DatabaseCopy: Sendable {
    private(set) var token: String?
    private(set) var zones: [String: ZoneCopy] = [:]

    /// Does what the documentation asks of clients (semantics 8.5): lists the zones that changed, forgets those that are gone, and
    /// reads the feeds of the others.
    ///
    /// - Parameter limit: zones on a page.
    /// - Throws: ``TestFailure`` when the feed is refused.
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

    /// - Returns: nil when the zone has gone meanwhile.
    private func read(_ name: String, as client: TestClient) async throws -> ZoneCopy? {
        var copy = zones[name] ?? ZoneCopy(of: name)
        var end = try await copy.fetch(as: client)
        // It was made again; perhaps once more while it is read.
        while end == .expired {
            copy = ZoneCopy(of: name)
            end = try await copy.fetch(as: client)
        }
        guard end == .reached || end == .missing else { throw TestFailure("zone \(name): \(end)") }
        return end == .reached ? copy : nil
    }
}
