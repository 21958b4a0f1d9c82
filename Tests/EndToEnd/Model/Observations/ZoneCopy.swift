import CloudKitWire
import TestSupport

/// A client's copy of a zone: a token, and the records as of that token.
struct ZoneCopy: Sendable {
    /// The result of reading the feed.
    enum End: Equatable, Sendable, CustomStringConvertible {
        case reached
        case refused(reasonCode: String)

        var description: String { if case .refused(let reasonCode) = self { reasonCode } else { "reached" } }

        static let expired = End.refused(reasonCode: "change_token_expired")
        static let foreign = End.refused(reasonCode: "change_token_foreign")
        static let missing = End.refused(reasonCode: "zone_not_found")
    }

    /// The maximum number of pages of a reading in these tests.
    private static let maxPages = 500

    let zone: String
    /// The owner of the zone, whom a participant's requests name; nil if the reader is the owner.
    let owner: String?
    /// The zone's incarnation in the model; nil while it is uncertain.
    var incarnation: Int?
    /// The number of events that had expired the reader's tokens when the token was issued (``ModelAccess/expiries``).
    var expiries = 0
    private(set) var token: String?
    private(set) var records: [String: ModelRecord] = [:]

    /// Creates an empty copy, which may have a token.
    init(of zone: String, owner: String? = nil, token: String? = nil) {
        self.zone = zone
        self.owner = owner
        self.token = token
    }

    /// Reads pages until no more are coming.
    ///
    /// - Parameters:
    ///   - limit: the number of changes in a page.
    ///   - reverse: whether the newest change comes first. While others write, one such reading is not complete.
    ///   - page: called after each page with its changes, and with whether more are coming.
    /// - Throws: ``TestFailure`` if the feed violates a guarantee that can be checked without a model.
    mutating func fetch(
        as client: TestClient, limit: Int64? = nil, reverse: Bool = false,
        page: (ZoneCopy, [ModelItem], Bool) async throws -> Void = { _, _, _ in }
    ) async throws -> End {
        for _ in 0..<Self.maxPages {
            let answer = try await client.changes(zone, owner: owner, since: token, limit: limit, reverse: reverse)
            if answer.errorCode != nil { return .refused(reasonCode: answer.reasonCode ?? "") }
            var items = try (answer["records"]?.array ?? []).map(ModelItem.init)
            if owner != nil { items = items.map(\.withoutStamps) }
            let isMore = answer["moreComing"] == true
            if let limit, items.count > limit { throw TestFailure("a page of \(limit) has more: \(answer)") }
            if isMore, answer.syncToken == token { throw TestFailure("more is coming and the token stays: \(answer)") }
            if Set(items.map(\.name)).count < items.count { throw TestFailure("a record is there twice: \(answer)") }
            token = answer.syncToken
            for item in items { records[item.name] = item.record }
            try await page(self, items, isMore)
            if !isMore { return .reached }
        }
        throw TestFailure("a walk of zone \(zone) finds no end")
    }
}
