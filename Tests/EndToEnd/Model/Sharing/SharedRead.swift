import TestSupport

/// A participant's reading of a zone's feed.
struct SharedRead: Sendable {
    let user: ModelUser
    private(set) var read: ZoneRead
    /// The id of the message by which the participant accepted a share between two pages; nil if there is none.
    let acceptance: String?

    /// Returns the reading after the last fetch, which is made when no writer is active any more.
    func finished(as client: TestClient) async throws -> SharedRead {
        var other = self
        other.read = try await read.finished(as: client)
        return other
    }
}

/// A copy of a zone that a participant keeps by tokens from round to round.
struct SharedWatch: Sendable {
    let user: ModelUser
    private(set) var copy: ZoneCopy
    /// The copy before the last fetch.
    private var former: ZoneCopy
    /// The result of the last fetch.
    private(set) var end = ZoneCopy.End.reached
    /// Whether the token had expired, so that the copy was read again from the beginning.
    private(set) var hasExpired = false

    init(_ user: ModelUser, of zone: String, owner: ModelUser) {
        self.user = user
        copy = ZoneCopy(of: zone, owner: owner.name)
        former = copy
    }

    /// Brings the copy up to date. A participant to whom the zone does not exist any more drops the copy.
    ///
    /// - Parameters:
    ///   - isFresh: whether to begin again without the token.
    ///   - reverse: whether to read the newest change first.
    func fetched(as client: TestClient, limit: Int64, isFresh: Bool, reverse: Bool) async throws -> SharedWatch {
        var other = self
        other.hasExpired = false
        let empty = ZoneCopy(of: copy.zone, owner: copy.owner)
        if isFresh { other.copy = empty }
        other.end = try await other.copy.fetch(as: client, limit: limit, reverse: reverse)
        if other.end == .expired {
            (other.copy, other.hasExpired) = (empty, true)
            other.end = try await other.copy.fetch(as: client, limit: limit)
        }
        if other.end != .reached { other.copy = empty }
        return other
    }

    /// Records what the model says about the token of the copy.
    mutating func note(incarnation: Int?, expiries: Int) {
        (copy.incarnation, copy.expiries) = (incarnation, expiries)
        former = copy
    }

    /// Whether the model permits that the token from which the last fetch began has expired.
    func mayExpire(in zone: ModelZone, _ access: ModelAccess) -> Bool { former.mayExpire(in: zone, access) }
}
