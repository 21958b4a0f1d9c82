internal import CloudKitModel
internal import OperatorMessages
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// `shares.explain`, for operators: returns the parents of a record, its share, a user's row in the share, and the
/// resulting access right. All data except the ids of the environments is read in one snapshot.
struct SharesExplainOperation: Sendable {
    /// The maximum number of records in the chain of parents.
    static let maxChain = 100

    let pool: PostgresPool

    /// Answers in four round trips.
    ///
    /// - Throws: `BAD_REQUEST`, `container_not_found` or `PostgresError`.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try SharesExplainRequest(request)
        try Self.check(body)
        let container = try ContainerIdentifier.validated(body.container)
        let found = try await pool.withConnection { connection in
            let environments = try await ContainerEnvironments.find(container, on: connection)
            let environment = environments[body.environment]
            return try await Self.read(body, in: environment, on: connection)
        }
        return Answer(ShareExplanation(body, found).answer)
    }

    private static func read(
        _ body: SharesExplainRequest, in environment: EnvironmentRow, on connection: PostgresConnection
    ) async throws -> ShareExplanation.Found {
        let table = ShareExplanationTable(environment)
        let (name, zoneName) = (RecordName(unchecked: body.recordName), ZoneName(unchecked: body.zone))
        let opened = try await connection.pipeline([
            .begin(.repeatableRead.readOnly), table.zone(zoneName, of: body.owner),
        ])
        guard let zone = ShareExplanationTable.zone(opened[1]) else {
            _ = try await connection.pipeline([.commit])
            return ShareExplanation.Found(hasZone: false)
        }
        let chained = try await connection.pipeline([
            table.chain(from: name, in: zone.row, limit: maxChain),
            CascadeTable(environment).pending([name], in: zone.row),
        ])
        var found = ShareExplanation.Found(hasZone: true, hasMoves: zone.moves != .none)
        found.setChain(ShareExplanationTable.chain(chained[0]), limit: maxChain)
        found.isPendingDeletion = CascadeTable.pending(chained[1], in: zone.row).contains { $0.seq > 0 }
        let ids = Set(found.chain.flatMap { [$0.member, $0.share] }.compactMap(\.self))
        let read = try await connection.pipeline([table.shares(Array(ids), in: zone.row, for: body.user), .commit])
        found.shares = ShareExplanationTable.shares(read[0], for: body.user)
        return found
    }

    private static func check(_ body: SharesExplainRequest) throws(ServerError) {
        try check("owner") { () throws(ValidationError) in _ = try UserName(validating: body.owner) }
        try check("user") { () throws(ValidationError) in _ = try UserName(validating: body.user) }
        try check("zone") { () throws(ValidationError) in _ = try ZoneName(validating: body.zone) }
        try check("recordName") { () throws(ValidationError) in _ = try RecordName(validating: body.recordName) }
    }

    private static func check(_ field: String, _ parse: () throws(ValidationError) -> Void) throws(ServerError) {
        do throws(ValidationError) {
            try parse()
        } catch {
            throw ServerError(error, field: field)
        }
    }
}
