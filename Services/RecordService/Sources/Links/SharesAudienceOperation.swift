internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// `shares.audience`, for the subscription service: the participants whom changes to shared records concern.
///
/// `{incarnation, shares?, fromSeq, after?}` → `{participants: [[share, audience, user, since, until]], after?}`.
/// Without `shares`, the answer concerns every share of the zone. `since` and `until` are the numbers of the changes
/// that last gave the user access and last ended it. Users who lost access before change `fromSeq` are left out, and so
/// are the owner and unknown shares. If the answer contains `after`, a request with the same `after` returns the next
/// participants.
///
/// An answer to a request made after an event is valid for this event, because it reflects all changes of access up to
/// the event, with their numbers.
struct SharesAudienceOperation: Sendable {
    /// The maximum number of shares in a request.
    static let maxShares = 200
    /// The maximum number of participants in an answer.
    static let maxParticipants = 2000

    let pool: PostgresPool

    /// Answers a request. Takes one round trip.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        guard let incarnation = body["incarnation"]?.string.flatMap(UUID.init(uuidString:)) else {
            throw ServerError.wrongKind("incarnation", expected: "a UUID")
        }
        let shares = body["shares"]?.array?.compactMap(\.int).map { ShareID($0) }
        guard shares?.count ?? 0 <= Self.maxShares else {
            throw ServerError.tooMany("shares", limit: Self.maxShares, actual: shares?.count ?? 0)
        }
        if shares?.isEmpty == true { return Self.answer([], isLast: true) }
        let call = AudienceTable.read(
            shares, of: incarnation, lostSince: body["fromSeq"]?.int ?? 0, after: try Self.place(body["after"]),
            limit: Self.maxParticipants)
        let results = try await pool.withConnection { try await $0.pipeline([call]) }
        let members = AudienceTable.members(results[0])
        return Self.answer(members, isLast: members.count < Self.maxParticipants)
    }

    private static func place(_ json: JSONValue?) throws(ServerError) -> AudienceTable.Place {
        guard let json, !json.isNull else { return .start }
        guard let share = json[0]?.int, let number = json[1]?.int.flatMap(Int32.init(exactly:)) else {
            throw .wrongKind("after", expected: "the 'after' of the previous answer")
        }
        return AudienceTable.Place(share: ShareID(share), number: number)
    }

    private static func answer(_ members: [AudienceTable.Member], isLast: Bool) -> Answer {
        Answer { writer in
            writer.key("participants")
            writer.array(members) { writer, member in
                writer.beginArray()
                writer.value(.int(member.place.share.rawValue))
                writer.value(.int(member.audience))
                writer.value(.string(member.user))
                writer.value(.int(member.since))
                writer.value(member.until.map { .int($0) } ?? .null)
                writer.endArray()
            }
            if !isLast, let place = members.last?.place {
                writer.key("after")
                writer.array([place.share.rawValue, Int64(place.number)]) { $0.value(.int($1)) }
            }
        }
    }
}
