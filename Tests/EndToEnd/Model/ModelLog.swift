import TestSupport

/// What a client did in a round.
struct ModelLog: Sendable {
    var exchanges: [ModelExchange] = []
    var reads: [ZoneRead] = []
    var foreign: [ForeignRead] = []
    var syncs: [DatabaseSync] = []
    var steps = 0
}

/// A walk through a zone's feed.
struct ZoneRead: Sendable {
    private static let polls = 5

    let start: ZoneCopy
    /// What was known after each page.
    private(set) var pages: [ZoneCopy] = []
    private(set) var end = ZoneCopy.End.reached
    /// What was known when all was quiet and one more fetch was made; nil when the walk was refused.
    private(set) var final: (copy: ZoneCopy, end: ZoneCopy.End)?

    /// A walk from what `start` knows.
    ///
    /// - Throws: as ``ZoneCopy/fetch(as:limit:page:)``.
    init(from start: ZoneCopy, as client: TestClient, limit: Int64) async throws {
        self.start = start
        var copy = start
        // Who knows everything and asks again meets writers at work most often.
        for _ in 0..<Self.polls where end == .reached {
            end = try await copy.fetch(as: client, limit: limit) { page, _ in pages.append(page) }
        }
    }

    /// The walk with the last fetch made.
    func finished(as client: TestClient) async throws -> ZoneRead {
        guard end == .reached, var copy = pages.last else { return self }
        var read = self
        let end = try await copy.fetch(as: client)
        read.final = (copy, end)
        return read
    }
}

/// A zone's answer to another one's token.
struct ForeignRead: Sendable {
    let zone: String
    let end: ZoneCopy.End
}

/// What a client knew after it had synced while others wrote, and, when all was quiet, after it had synced once more.
struct DatabaseSync: Sendable {
    let copy: DatabaseCopy
    private(set) var final = DatabaseCopy()

    init(_ copy: DatabaseCopy) { self.copy = copy }

    /// The sync with the last one made.
    func finished(as client: TestClient) async throws -> DatabaseSync {
        var sync = self
        sync.final = copy
        try await sync.final.sync(as: client)
        return sync
    }
}
