internal import CloudKitModel

/// One page of a walk through a zone's changes: the changes to read, and the end of the page.
struct ZoneWalk {
    /// The end of a page: the state that the page's token records, and whether more changes follow.
    struct End: Equatable {
        var position: Int64
        var horizon: Int64
        var descent: ZoneChangeToken.Descent?
        var moreComing: Bool
    }

    private let token: ZoneChangeToken?
    private let descends: Bool

    /// Creates the page after `token` or, without a token, the first page of a walk. A walk that began backwards
    /// continues backwards.
    init(from token: ZoneChangeToken?, reverse: Bool) {
        self.token = token
        descends = reverse || token?.descent != nil
    }

    /// The number up to which the client has received all changes.
    var position: Int64 { token?.position ?? 0 }

    /// The number below which changes are read, newest first; nil if they are read oldest first.
    var ceiling: Int64? { descends ? token?.descent?.next ?? .max : nil }

    /// The number up to which tombstones belong to records that the client never received; nil if all tombstones do.
    /// The number is the horizon while the position is below the horizon, as in a walk that began without a token;
    /// otherwise, it is 0.
    var unknownTombstones: Int64? { token.map { $0.position < $0.horizon ? $0.horizon : 0 } }

    /// Checks that the token is valid.
    ///
    /// - Parameters:
    ///   - counter: the number of the zone's last change.
    ///   - purgeMark: tombstones up to this number might have been purged.
    /// - Throws: `change_token_expired`.
    func check(counter: Int64, purgeMark: Int64) throws(ServerError) {
        guard let token else { return }
        guard max(token.position, token.descent?.ceiling ?? 0) <= counter else { throw .changeTokenExpired(.restored) }
        guard token.horizon >= purgeMark else { throw .changeTokenExpired(.purged) }
    }

    /// Returns the end of the page.
    ///
    /// - Parameters:
    ///   - changes: the numbers of the changes on the page, in order.
    ///   - counter: the number of the zone's last change. It was read before the changes, so the page can also contain
    ///     changes that were committed between the two reads.
    ///   - isCut: whether more changes might follow.
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
        // The token's position and horizon stay the same until the end of the walk, because tombstones that the client
        // needs might still follow.
        let next = changes.last ?? token?.descent?.next ?? ceiling + 1
        return End(
            position: position, horizon: token?.horizon ?? ceiling,
            descent: ZoneChangeToken.Descent(ceiling: ceiling, next: next), moreComing: true)
    }
}
