internal import CloudKitModel
internal import RecordStorage

/// One page of a participant's walk through a zone: the part of the feed to read, and the end of the page. Corresponds
/// to ``ZoneWalk``.
struct SharedWalk {
    /// The end of a page: the state that the page's token records, and whether more items follow.
    struct End: Equatable {
        var position: SharedPosition
        var horizon: Int64
        var descent: SharedZoneToken.Descent?
        var moreComing: Bool
    }

    /// Whether the zone is shared as a whole. The feed is then that of the owner, and positions are change numbers.
    let isOfZone: Bool
    /// The zone's row for which the token was issued; nil without a token.
    private(set) var row: Int64?
    private var position = SharedPosition.start
    private var horizon: Int64?
    private var descent: SharedZoneToken.Descent?
    private let descends: Bool

    /// Creates the first page of a walk.
    init(isOfZone: Bool, reverse: Bool) {
        self.isOfZone = isOfZone
        descends = reverse
    }

    /// Creates the page after a token. A walk that began backwards continues backwards.
    init(after token: SharedZoneToken, reverse: Bool) {
        isOfZone = false
        (row, position, horizon, descent) = (token.zone, token.position, token.horizon, token.descent)
        descends = reverse || token.descent != nil
    }

    /// Creates the page after a token for a zone that is shared as a whole.
    init(after token: ZoneChangeToken, reverse: Bool) {
        isOfZone = true
        (row, position, horizon) = (token.zone, .end(of: token.position), token.horizon)
        descent = token.descent.map { SharedZoneToken.Descent(ceiling: $0.ceiling, next: .end(of: $0.next)) }
        descends = reverse || token.descent != nil
    }

    /// The part of the feed that the page reads.
    var range: SharedFeedRange {
        SharedFeedRange(
            after: position, before: descent?.next ?? .last, descends: descends, horizon: unknownTombstones)
    }

    /// See ``ZoneWalk/unknownTombstones``.
    private var unknownTombstones: Int64 { horizon.map { position.seq < $0 ? $0 : 0 } ?? .max }

    /// Checks that the token is valid.
    ///
    /// - Parameters:
    ///   - row: the zone's row.
    ///   - counter: the number of the zone's last change.
    ///   - purgeMark: deletions up to this number might have been purged.
    /// - Throws: `change_token_expired`.
    func check(row: Int64, counter: Int64, purgeMark: Int64) throws(ServerError) {
        guard let horizon else { return }
        guard self.row == row else { throw .changeTokenExpired(.recreated) }
        guard max(position.seq, descent?.ceiling ?? 0) <= counter else { throw .changeTokenExpired(.restored) }
        guard horizon >= purgeMark else { throw .changeTokenExpired(.purged) }
    }

    /// Checks whether access to a share was lost and gained again after the token was issued.
    ///
    /// - Throws: `change_token_expired`.
    func check(_ access: ShareAccess) throws(ServerError) {
        // During its first walk, a client has no records from before the walk, so earlier interruptions do not matter.
        let known = unknownTombstones > 0 ? .end(of: unknownTombstones) : position
        if !isOfZone, let interruption = access.lastInterruption, known < .end(of: interruption) {
            throw .changeTokenExpired(.interrupted)
        }
    }

    /// Returns the end of the page.
    ///
    /// - Parameters:
    ///   - last: the place of the last item on the page; nil if the page has none.
    ///   - newest: the number of the newest change, on the page or in the zone.
    ///   - isCut: whether more items might follow.
    func end(after last: SharedPosition?, newest: Int64, isCut: Bool) -> End {
        guard descends else {
            let reached = isCut ? last ?? position : .end(of: newest)
            return End(position: reached, horizon: max(horizon ?? newest, reached.seq), moreComing: isCut)
        }
        let ceiling = descent?.ceiling ?? newest
        guard isCut else {
            return End(position: .end(of: ceiling), horizon: max(horizon ?? 0, ceiling), moreComing: false)
        }
        // The token's position and horizon stay the same until the end of the walk, because deletions that the client
        // needs might still follow. In a zone that is shared as a whole, the number of the next change is lower than
        // that of `next`.
        let next = last ?? descent?.next ?? .end(of: isOfZone ? ceiling + 1 : ceiling)
        return End(
            position: position, horizon: horizon ?? ceiling,
            descent: SharedZoneToken.Descent(ceiling: ceiling, next: next), moreComing: true)
    }

    /// Returns the token for the end of a page.
    func token(at end: End, of zone: ZoneEntry, for user: String, by tokens: ZoneTokenIssuer) -> String {
        let (address, row) = (AddressDigest.zone(zone.address, for: user), zone.row.rawValue)
        guard isOfZone else {
            return SharedZoneToken(
                store: tokens.store, address: address, zone: row, position: end.position, horizon: end.horizon,
                descent: end.descent
            ).sealed(with: tokens.keys)
        }
        return ZoneChangeToken(
            store: tokens.store, address: address, zone: row, position: end.position.seq, horizon: end.horizon,
            descent: end.descent.map { ZoneChangeToken.Descent(ceiling: $0.ceiling, next: $0.next.seq) }
        ).sealed(with: tokens.keys)
    }
}
