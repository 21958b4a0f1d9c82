internal import CloudKitModel
internal import CloudKitQuery
internal import PostgresClient
internal import RecordStorage

/// Queries of zones in the shared database.
extension QueryRunner {
    /// The maximum number of members of shares that are read one by one if the query can use an index of the zone
    /// instead. Otherwise, the limit is that of scans.
    private static let maxMembers = 10_000
    /// The maximum number of members, as a multiple of the limit, that are examined while some of them are hidden because
    /// they are leaving shares.
    private static let hiddenFactor = 4

    /// Like ``snapshot(_:checksScan:_:)``, but for a participant. The user's access is read in the same snapshot in
    /// which the statement is executed. Only records that the user can see are counted.
    ///
    /// - Throws: the same errors, and also ``Stale`` when the user has lost access since the zone was resolved.
    func sharedSnapshot(
        _ plan: QueryPlan, for user: String, checksScan: Bool, _ statement: (QueryPlan) throws -> PostgresCall
    ) async throws -> (cascading: [ZoneRow], result: PostgresResult) {
        let zone = plan.target.zones[0]
        let limit = source.limits.maxScannedRecords
        let maxMembers = plan.isScan ? limit : min(limit, Self.maxMembers)
        return try await QueryTimeout.naming {
            try await source.pool.withConnection { connection in
                let read = try await connection.pipeline([
                    .begin(.repeatableRead.readOnly), plan.state, ShareAccessTable.read(of: user, in: zone.row),
                    ShareAccessTable.members(
                        of: user, in: zone.row, of: plan.target.environment, moves: .none, limit: maxMembers),
                ])
                do {
                    let cascading = try cascading(read[1], plan)
                    let moves = QuerySnapshotState(read[1]).moves
                    guard let access = ShareAccessTable.access(read[2]) else { throw Stale.zone }
                    var plan = plan
                    if let shares = access.visibleShares {
                        var members = ShareAccessTable.members(read[3])
                        if moves == .leaving, members > maxMembers {
                            // Hidden members do not count, unless there are very many of them.
                            func count(_ moves: ShareMoves, _ limit: Int) async throws -> Int {
                                let count = ShareAccessTable.members(
                                    of: user, in: zone.row, of: plan.target.environment, moves: moves, limit: limit)
                                return ShareAccessTable.members(try await connection.pipeline([count])[0])
                            }
                            let examined = maxMembers * Self.hiddenFactor
                            if try await count(.none, examined) <= examined {
                                members = try await count(moves, maxMembers)
                            }
                        }
                        let isLarge = members > maxMembers
                        plan.target.moves = moves
                        guard !isLarge || !plan.isScan else { throw plan.scanTooLarge(limit: limit) }
                        plan.target.visibility = isLarge ? .large(shares) : .members(shares)
                    } else if checksScan {
                        let scanned = try await connection.pipeline([plan.scanned(limit: limit)])
                        guard scanned[0].first?.int64(0) ?? 0 <= limit else { throw plan.scanTooLarge(limit: limit) }
                    }
                    return (cascading, try await connection.pipeline([try statement(plan), .commit])[0])
                } catch let error where !(error is PostgresError) {
                    _ = try await connection.pipeline([.rollback])
                    throw error
                }
            }
        }
    }
}
