package import CloudKitWire
import ServiceMessages

/// Reads the change feed of one zone, page by page.
package struct ZoneFeed: Sendable {
    private let requester: any Requester
    private let zone: ZonePlace
    private let limit: Duration
    private var isAtEnd = false

    /// The names of the requested fields; nil for all fields.
    package var desiredKeys: [String]?
    /// The types of the requested records; nil for all types.
    package var desiredTypes: [String]?
    /// The maximum number of records in a page; nil for the service's default.
    package var pageCount: Int?
    /// The token from which the next page continues; nil for the beginning.
    package private(set) var token: String?

    /// Creates the feed of `zone`, starting after `token`.
    ///
    /// - Parameter owner: the zone's owner; nil for the owner of the database.
    package init(
        requester: any Requester, zone: String, owner: String? = nil, since token: String? = nil, limit: Duration
    ) {
        self.requester = requester
        self.zone = ZonePlace(zone, owner: owner)
        self.token = token
        self.limit = limit
    }

    /// Whether more pages follow the last page that was read.
    package var hasMore: Bool { !isAtEnd }

    /// Reads the records and tombstones of the next page; returns nil after the last page.
    ///
    /// - Throws: the failure of the request or of the zone.
    package mutating func nextPage() async throws(RequestFailure) -> [JSONValue]? {
        guard !isAtEnd else { return nil }
        let entry = JSONValue.object(having: [
            ("zoneID", zone.json),
            ("syncToken", token.map { .string($0) }),
            ("desiredKeys", desiredKeys.map { .array($0.map { .string($0) }) }),
            ("desiredRecordTypes", desiredTypes.map { .array($0.map { .string($0) }) }),
            ("resultsLimit", pageCount.map { .int(Int64($0)) }),
        ])
        let answer = try await requester.ask(.changesZone, ["zones": [entry]], limit: limit)
        guard let page = answer["zones"]?.array?.first else {
            throw .unanswered(reason: "the answer to changes.zone contains no zone")
        }
        if let refusal = RequestFailure.Refusal(page) { throw .refused(refusal) }
        guard let next = page["syncToken"]?.string else {
            throw .unanswered(reason: "the answer to changes.zone contains no syncToken")
        }
        let hasMore = page["moreComing"]?.bool == true
        guard !hasMore || next != token else {
            throw .unanswered(reason: "the feed of zone '\(zone.name)' repeats its token")
        }
        token = next
        isAtEnd = !hasMore
        return page["records"]?.array ?? []
    }
}
