import CloudKitWire
import TestSupport

/// What a client knows of a zone: a token and the records as they were at it.
struct ZoneCopy: Sendable {
    /// How reading the feed ended.
    enum End: Equatable, Sendable, CustomStringConvertible {
        case reached
        case refused(reasonCode: String)

        var description: String { if case .refused(let reasonCode) = self { reasonCode } else { "reached" } }

        static let expired = End.refused(reasonCode: "change_token_expired")
        static let foreign = End.refused(reasonCode: "change_token_foreign")
        static let missing = End.refused(reasonCode: "zone_not_found")
    }

    /// No walk of a test has more pages.
    private static let maxPages = 500

    let zone: String
    /// The zone's incarnation in the model; nil while that is not certain.
    var incarnation: Int?
    private(set) var token: String?
    private(set) var records: [String: ModelRecord] = [:]

    /// Someone who knows nothing of the zone but a token.
    init(of zone: String, token: String? = nil) {
        self.zone = zone
        self.token = token
    }

    /// Reads on until nothing more is coming.
    ///
    /// - Parameters:
    ///   - limit: changes on a page.
    ///   - page: called after each page with its changes.
    /// - Throws: ``TestFailure`` when the feed breaks a promise that needs no model.
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
