import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

/// A participant's copy of the names of the records in a zone, kept up to date with tokens.
struct SharedWalk: Sendable {
    let zone: RaceZone
    let client: TestClient
    private(set) var names: Set<String> = []
    private var token: JSONValue?

    /// Creates an empty copy.
    init(zone: RaceZone, client: TestClient) {
        self.zone = zone
        self.client = client
    }

    /// Reads all pages since the previous call.
    ///
    /// - Throws: an error if a page is refused.
    mutating func catchUp() async throws {
        while true {
            var entry: [JSONValue.Member] = [.init("zoneID", zone.id), .init("resultsLimit", 50)]
            if let token { entry.append(.init("syncToken", token)) }
            let reply = try await client.ask(.changesZone, ["zones": [.object(entry)]], within: .seconds(60))
            let page = try #require(reply["zones"]?[0], "\(reply.body)")
            let next = try #require(page["syncToken"], "\(page)")
            token = next
            for record in page["records"]?.array ?? [] {
                let name = try #require(record["recordName"]?.string)
                if record["deleted"] == true { names.remove(name) } else { names.insert(name) }
            }
            if page["moreComing"] != true { return }
        }
    }
}
