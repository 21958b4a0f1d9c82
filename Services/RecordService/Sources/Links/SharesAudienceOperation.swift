internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// `shares.audience`, for the subscription service: the participants whom changes to shared records concern.
///
/// `{incarnation, shares?, fromSeq, after?}` → `{participants: [[share, audience, user, since, until, lost]], after?}`,
/// ordered by user and share. Without `shares`, the answer concerns every share of the zone. `since` and `until` are the
/// numbers of the changes through which the user last gained and last lost access, and `lost` is the number of the change
/// through which access was lost before `since`. Users who lost access before change `fromSeq` are left out, and so are
/// the owner and unknown shares. If the answer contains `after`, a request with the same `after`, a user and a share,
/// returns the next participants. A page can be empty, because users who are left out are counted.
///
/// An answer to a request made after an event is valid for this event, because it reflects all changes of access up to
/// the event, with their numbers.
struct SharesAudienceOperation: Sendable {
    /// The maximum number of shares in a request.
    static let maxShares = 200
    /// The maximum number of participants in an answer, including those who are left out.
    static let maxParticipants = 500

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
        guard let user = json[0]?.string, let share = json[1]?.int else {
            throw .wrongKind("after", expected: "a user and a share")
        }
        return AudienceTable.Place(user: user, share: ShareID(share))
    }

    private static func answer(_ members: [AudienceTable.Member], isLast: Bool) -> Answer {
        Answer { writer in
            writer.key("participants")
            writer.array(members.filter(\.isConcerned)) { writer, member in
                writer.beginArray()
                writer.value(.int(member.place.share.rawValue))
                writer.value(.int(member.audience))
                writer.value(.string(member.place.user))
                writer.value(.int(member.since))
                writer.value(member.until.map { .int($0) } ?? .null)
                writer.value(member.lost.map { .int($0) } ?? .null)
                writer.endArray()
            }
            if !isLast, let place = members.last?.place {
                writer.key("after")
                writer.array([.string(place.user), .int(place.share.rawValue)] as [JSONValue]) { $0.value($1) }
            }
        }
    }
}
