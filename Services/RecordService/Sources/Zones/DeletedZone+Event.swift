internal import RecordStorage
internal import ServiceMessages

extension ZoneTable.Deleted {
    /// Returns the event that reports the deletion.
    ///
    /// - Parameters:
    ///   - address: the full name of the zone.
    ///   - actor: the context of the request that deleted the zone.
    func event(_ address: ZoneAddress, by actor: RequestContext, tokens: ZoneTokenIssuer) -> ChangeEvent {
        ChangeEvent(
            address: address, incarnation: incarnation, fromSeq: seq, toSeq: seq, xid: xid, client: actor.client,
            user: actor.user, at: at, syncToken: tokens.token(row: row, address: address, reached: seq),
            records: Array("[]".utf8), isDeletion: true, rights: rights,
            shares: ChangeEvent.Shares(isAll: wasShared), trace: actor.trace)
    }
}
