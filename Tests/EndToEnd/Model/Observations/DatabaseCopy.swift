import CloudKitWire
import TestSupport

/// A syncing client's copy of a database: a token, and a copy of each zone at that time.
struct DatabaseCopy: Sendable {
    /// Whether the database is the shared one, with zones of other users.
    var isShared = false
    private(set) var token: String?
    private(set) var zones: [String: ZoneCopy] = [:]

    /// Syncs as the documentation requires (semantics 8.5): lists the zones that changed, removes the deleted ones, and
    /// reads the feeds of the others.
    ///
    /// - Parameter limit: the number of zones in a page.
    /// - Returns: the names of the zones that were listed.
    /// - Throws: ``TestFailure`` if the feed is refused.
    @discardableResult
    mutating func sync(as client: TestClient, limit: Int64? = nil) async throws -> Set<String> {
        var listed: Set<String> = []
        var isMore = true
        while isMore {
            let page = try await client.databaseChanges(since: token, limit: limit)
            guard page.status == 200, let zonesOfPage = page["zones"]?.array, let next = page.body.syncToken else {
                throw TestFailure("the database's feed is refused: \(page.body)")
            }
            isMore = page["moreComing"] == true
            if isMore, next == token { throw TestFailure("more is coming and the token stays: \(page.body)") }
            for zone in zonesOfPage {
                guard let name = zone["zoneID"]?["zoneName"]?.string else { throw TestFailure("no zone: \(zone)") }
                let owner = isShared ? zone["zoneID"]?["ownerRecordName"]?.string : nil
                zones[name] = zone["deleted"] == true ? nil : try await read(name, owner, as: client)
                listed.insert(name)
            }
            token = next
        }
        return listed
    }

    /// - Returns: nil if the zone has been deleted in the meantime.
    private func read(_ name: String, _ owner: String?, as client: TestClient) async throws -> ZoneCopy? {
        var copy = zones[name] ?? ZoneCopy(of: name, owner: owner)
        var end = try await copy.fetch(as: client)
        // The zone was created again, or access to it was lost and gained again, perhaps once more while it is being
        // read.
        while end == .expired {
            copy = ZoneCopy(of: name, owner: owner)
            end = try await copy.fetch(as: client)
        }
        guard end == .reached || end == .missing else { throw TestFailure("zone \(name): \(end)") }
        return end == .reached ? copy : nil
    }
}
