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
    /// The zone's incarnation in the model; nil while it is uncertain.
    var incarnation: Int?
    private(set) var token: String?
    private(set) var records: [String: ModelRecord] = [:]

    /// Creates an empty copy, which may have a token.
    init(of zone: String, token: String? = nil) {
        self.zone = zone
        self.token = token
    }

    /// Reads pages until no more are coming.
    ///
    /// - Parameters:
    ///   - limit: the number of changes in a page.
    ///   - page: called after each page with its changes.
    /// - Throws: ``TestFailure`` if the feed violates a guarantee that can be checked without a model.
    mutating func fetch(
        as client: TestClient, limit: Int64? = nil, page: (ZoneCopy, [ModelItem]) -> Void = { _, _ in }
    ) async throws -> End {
        for _ in 0..<Self.maxPages {
            let answer = try await client.changes(zone, since: token, limit: limit)
            if answer.errorCode != nil { return .refused(reasonCode: answer.reasonCode ?? "") }
            let items = try (answer["records"]?.array ?? []).map(ModelItem.init)
            let isMore = answer["moreComing"] == true
            if let limit, items.count > limit { throw TestFailure("a page of \(limit) has more: \(answer)") }
            if isMore, answer.syncToken == token { throw TestFailure("more is coming and the token stays: \(answer)") }
            if Set(items.map(\.name)).count < items.count { throw TestFailure("a record is there twice: \(answer)") }
            token = answer.syncToken
            for item in items { records[item.name] = item.record }
            page(self, items)
            if !isMore { return .reached }
        }
        throw TestFailure("a walk of zone \(zone) finds no end")
    }
}
