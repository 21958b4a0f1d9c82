internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import RequestServing
internal import ServiceMessages

/// Asks the record service for the audiences of shares (`shares.audience`).
struct AudienceClient: Sendable {
    /// The maximum number of shares in a request.
    private static let maxShares = 200
    /// The maximum time to wait for the answers about a zone.
    private static let maxWait = Duration.seconds(5)

    let client: RecordServiceClient

    /// Returns the audiences of a zone's shares. Participants who lost access through changes before `seq` are left
    /// out, as are shares without participants.
    ///
    /// - Throws: a ``ServerError`` if the answer is refused or late, or `ServiceStopping` if the service is shutting
    ///   down.
    func audiences(
        of shares: [Int64], in incarnation: UUID, from seq: Int64
    ) async throws -> [Int64: Audience] {
        var found: [Int64: Audience] = [:]
        for start in stride(from: 0, to: shares.count, by: Self.maxShares) {
            let part = shares[start..<min(start + Self.maxShares, shares.count)]
            for (share, member) in try await members(.array(part.map { .int($0) }), incarnation, seq) {
                found[share, default: Audience(fromSeq: seq)].members.append(member)
            }
        }
        return found
    }

    /// Returns the participants in all shares of a zone, in the same way as ``audiences(of:in:from:)``.
    ///
    /// - Throws: the same errors as ``audiences(of:in:from:)``.
    func everyone(in incarnation: UUID, from seq: Int64) async throws -> Audience {
        Audience(members: try await members(.null, incarnation, seq).map(\.member), fromSeq: seq)
    }

    private func members(
        _ shares: JSONValue, _ incarnation: UUID, _ seq: Int64
    ) async throws -> [(share: Int64, member: Audience.Member)] {
        let deadline = SystemClock.milliseconds() + Self.maxWait.milliseconds
        var found: [(share: Int64, member: Audience.Member)] = []
        var after: JSONValue = .null
        while true {
            let body: JSONValue = [
                "incarnation": .string(incarnation.lowercaseText), "shares": shares, "fromSeq": .int(seq),
                "after": after,
            ]
            let bytes = try await client.ask(
                .sharesAudience, body.encoded(), headers: [Header.version: 1], deadline: deadline)
            let reply = try JSONValue(parsing: bytes)
            guard let rows = reply["participants"]?.array else { throw ServerError.missingKey("participants") }
            for row in rows {
                guard let share = row[0]?.int, let user = row[2]?.string, let since = row[3]?.int else {
                    throw ServerError.wrongKind("participants", expected: "rows of an audience")
                }
                found.append((share, Audience.Member(user: user, since: since, until: row[4]?.int)))
            }
            guard let next = reply["after"], !next.isNull, !rows.isEmpty else { return found }
            after = next
        }
    }
}
