internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import RequestServing
internal import ServiceMessages

/// Asks the record service for the audiences of shares (`shares.audience`).
struct AudienceClient: Sendable {
    /// The maximum number of shares in a request. The participants of more shares are found among those of the zone.
    private static let maxShares = 200
    /// The maximum time to wait for a page.
    private static let maxWait = Duration.seconds(5)

    let client: RecordServiceClient

    /// Returns the page of participants that follows `place`. The record service leaves out participants who lost
    /// access through changes before `seq`; a page can therefore be empty and still have a successor.
    ///
    /// - Parameter shares: the shares; nil for all shares of the zone. If there are too many, the page contains the
    ///   participants of all shares.
    /// - Throws: a ``ServerError`` if the request is refused or is not answered within 5 s, or `ServiceStopping` if the
    ///   service is shutting down.
    func page(
        of shares: Set<Int64>?, in incarnation: UUID, from seq: Int64, after place: AudiencePage.Place
    ) async throws -> AudiencePage {
        var named = JSONValue.null
        if let shares, shares.count <= Self.maxShares { named = .array(shares.sorted().map { .int($0) }) }
        let body: JSONValue = [
            "incarnation": .string(incarnation.lowercaseText), "shares": named, "fromSeq": .int(seq),
            "after": place == .start ? .null : [.string(place.user), .int(place.share)],
        ]
        let bytes = try await client.ask(
            .sharesAudience, body.encoded(), headers: [Header.version: 1],
            deadline: SystemClock.milliseconds() + Self.maxWait.milliseconds)
        return try AudiencePage(JSONValue(parsing: bytes))
    }
}

extension AudiencePage {
    /// Reads an answer to `shares.audience`.
    ///
    /// - Throws: `BAD_REQUEST` if it is malformed.
    fileprivate init(_ reply: JSONValue) throws(ServerError) {
        guard let participants = reply["participants"]?.array else { throw .missingKey("participants") }
        rows = []
        for row in participants {
            guard let share = row[0]?.int, let user = row[2]?.string, let since = row[3]?.int else {
                throw .wrongKind("participants", expected: "rows of an audience")
            }
            let member = Audience.Member(user: user, since: since, until: row[4]?.int, lost: row[5]?.int)
            rows.append(Row(share: share, member: member))
        }
        if let user = reply["after"]?[0]?.string, let share = reply["after"]?[1]?.int {
            next = Place(user: user, share: share)
        }
    }
}
