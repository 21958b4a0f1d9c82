internal import CloudKitModel

/// One page of a walk through a zone's changes: what there is to read, and where the page ends.
struct ZoneWalk {
    /// Where a page ends, as its token tells.
    struct End: Equatable {
        var position: Int64
        var horizon: Int64
        var descent: ZoneChangeToken.Descent?
        var moreComing: Bool
    }

    private let token: ZoneChangeToken?
    private let descends: Bool

    /// The page after `token`; nil: the first of a walk from nothing. A walk that began backwards goes on so.
    init(from token: ZoneChangeToken?, reverse: Bool) {
        self.token = token
        descends = reverse || token?.descent != nil
    }

    /// Changes up to here are known.
    var position: Int64 { token?.position ?? 0 }

    /// Newest first, only changes below this number; nil: oldest first.
    var ceiling: Int64? { descends ? token?.descent?.next ?? .max : nil }

    /// Tombstones up to here are of records that the reader never knew; nil: all are. During a walk from nothing the
    /// position is still below the horizon.
    var unknownTombstones: Int64? { token.map { $0.position < $0.horizon ? $0.horizon : 0 } }

    /// Whether the token is good.
    ///
    /// - Parameters:
    ///   - counter: the zone's last change.
    ///   - purgeMark: tombstones up to here may be gone.
    /// - Throws: `change_token_expired`.
    func check(counter: Int64, purgeMark: Int64) throws(ServerError) {
        guard let token else { return }
        guard max(token.position, token.descent?.ceiling ?? 0) <= counter else { throw .changeTokenExpired(.restored) }
        guard token.horizon >= purgeMark else { throw .changeTokenExpired(.purged) }
    }

    /// Where the page ends.
    ///
    /// - Parameters:
    ///   - changes: the numbers of its changes, in its order.
    ///   - counter: the zone's last change, read before them: what was committed in between is in the page all the same.
    ///   - isCut: whether there may be more.
    func end(of changes: [Int64], counter: Int64, isCut: Bool) -> End {
        let newest = max(counter, changes.max() ?? 0)
        guard descends else {
            let reached = isCut ? changes.last ?? position : newest
            return End(
                position: reached, horizon: max(token?.horizon ?? newest, reached),
                moreComing: isCut && reached < counter)
        }
        let ceiling = token?.descent?.ceiling ?? newest
        guard isCut else {
            return End(position: ceiling, horizon: max(token?.horizon ?? 0, ceiling), moreComing: false)
        }
        // The token's position and horizon stay until the end: the tombstones that it needs are still to come.
        let next = changes.last ?? token?.descent?.next ?? ceiling + 1
        return End(
            position: position, horizon: token?.horizon ?? ceiling,
            descent: ZoneChangeToken.Descent(ceiling: ceiling, next: next), moreComing: true)
    }
}
