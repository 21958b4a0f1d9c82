import TestSupport

/// The actions of a client in one round.
struct ModelLog: Sendable {
    var exchanges: [ModelExchange] = []
    var reads: [ZoneRead] = []
    var foreign: [ForeignRead] = []
    var syncs: [DatabaseSync] = []
    /// The readings and syncs of the shared database.
    var shared: [SharedRead] = []
    var sharedSyncs: [(user: ModelUser, sync: DatabaseSync)] = []
    /// The times at which a service was killed.
    var kills: [ClosedRange<Int>] = []
    var steps = 0
}

/// One reading of a zone's feed.
struct ZoneRead: Sendable {
    private static let polls = 5

    let start: ZoneCopy
    /// The copy of the zone after each page.
    private(set) var pages: [ZoneCopy] = []
    private(set) var end = ZoneCopy.End.reached
    /// The copy after one more fetch when no writer was active any more; nil if the reading was refused.
    private(set) var final: (copy: ZoneCopy, end: ZoneCopy.End)?

    /// Reads the feed from the state of `start`.
    ///
    /// - Parameter between: called once between two pages, if there are two.
    /// - Throws: the errors of ``ZoneCopy/fetch(as:limit:page:)``.
    init(
        from start: ZoneCopy, as client: TestClient, limit: Int64, between: (() async throws -> Void)? = nil
    ) async throws {
        self.start = start
        var (copy, between) = (start, between)
        // A reader that is up to date and fetches again is most likely to overlap with writers.
        for _ in 0..<Self.polls where end == .reached {
            end = try await copy.fetch(as: client, limit: limit) { page, _, isMore in
                pages.append(page)
                guard isMore else { return }
                try await between?()
                between = nil
            }
        }
    }

    /// Returns the reading after the last fetch.
    func finished(as client: TestClient) async throws -> ZoneRead {
        guard end == .reached, var copy = pages.last else { return self }
        var read = self
        let end = try await copy.fetch(as: client)
        read.final = (copy, end)
        return read
    }
}

/// A zone's answer to a token of another zone.
struct ForeignRead: Sendable {
    let zone: String
    let end: ZoneCopy.End
}

/// The state of a client after it synced while others wrote, and after it synced again when no writer was active any
/// more.
struct DatabaseSync: Sendable {
    let copy: DatabaseCopy
    private(set) var final = DatabaseCopy()

    init(_ copy: DatabaseCopy) { self.copy = copy }

    /// Returns the sync after the last one.
    func finished(as client: TestClient) async throws -> DatabaseSync {
        var sync = self
        sync.final = copy
        try await sync.final.sync(as: client)
        return sync
    }
}
