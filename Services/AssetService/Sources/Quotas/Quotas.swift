internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages

/// Holds databases and containers to their quotas.
///
/// An upload is refused early where its length tells that it goes past one; this is a look at sums that change
/// meanwhile. What decides is the transaction that makes the content's row: uploads that a quota concerns follow one
/// another there, by a lock of the database's or the container's, so that no two take the same room, at however many
/// instances they are.
struct Quotas: Sendable {
    /// The settings' quotas.
    let usual: Quota
    let table: BlobTable

    /// What a database may take now. One round trip.
    ///
    /// - Throws: `PostgresError`.
    func room(for scope: AssetScope) async throws -> QuotaRoom {
        try await table.pool.withConnection { try await Self.room(for: scope, usual, on: $0) }
    }

    /// Refuses an `assets.upload` whose tokens' sizes, as far as they are told, go past a quota.
    ///
    /// - Throws: `QUOTA_EXCEEDED`, `PostgresError`.
    func admit(_ request: OpenedRequest) async throws {
        // What is malformed is the operation's to refuse.
        guard let body = try? JSONValue(parsing: request.delivery.body), let tokens = body["tokens"] else { return }
        let told = (tokens.members == nil ? tokens.array ?? [] : [tokens]).compactMap { token in
            (token["size"]?.int).flatMap { $0 > 0 ? (bytes: $0, field: token["fieldName"]?.string) : nil }
        }
        guard !told.isEmpty else { return }
        let room = try await room(for: AssetScope(request.context))
        var sum: Int64 = 0
        for token in told {
            let (next, overflow) = sum.addingReportingOverflow(token.bytes)
            sum = overflow ? .max / 2 : min(next, .max / 2)
            try room.admit(sum, field: token.field)
        }
    }

    /// As ``BlobTable/arrive(_:size:for:generation:receiptLife:)``, unless that takes more than a quota allows: then
    /// nothing is changed.
    ///
    /// - Parameter room: what the database had when the upload began: quotas that were not there then do not concern it.
    /// - Throws: `QUOTA_EXCEEDED`, `PostgresError`.
    func arrive(
        _ content: IncomingAsset.Content, for scope: AssetScope, within room: QuotaRoom, field: String?,
        generation: UUID, receiptLife: Duration
    ) async throws -> BlobTable.Arrival {
        guard !room.parts.isEmpty else {
            return try await table.arrive(
                content.checksum, size: content.size, for: scope, generation: generation, receiptLife: receiptLife)
        }
        let call = BlobTable.arrival(
            content.checksum, size: content.size, for: scope, generation: generation, receiptLife: receiptLife)
        return try await table.pool.withTransaction { connection in
            // Before anything else is locked, and always the container's first.
            for key in room.parts.map({ Self.lock(for: $0.subject, scope) }).sorted() {
                _ = try await connection.query(
                    "select pg_advisory_xact_lock(hashtextextended($1, 0))", [.text(key)])
            }
            let arrival = BlobTable.arrival(try await connection.pipeline([call])[0][0])
            let now = try await Self.room(for: scope, usual, on: connection)
            for part in now.parts where part.used > part.limit && Self.grew(part.subject, by: arrival, generation) {
                throw ServerError.assetQuotaExceeded(part.subject, limit: part.limit, actual: part.used, field: field)
            }
            return arrival
        }
    }

    private static func lock(for subject: QuotaRoom.Subject, _ scope: AssetScope) -> String {
        switch subject {
        case .container: "zonda quota of \(scope.container)"
        case .user: "zonda quota of \(scope.container) \(scope.environment) \(scope.owner)"
        }
    }

    /// Whether what counts towards a quota became more.
    private static func grew(_ subject: QuotaRoom.Subject, by arrival: BlobTable.Arrival, _ generation: UUID) -> Bool {
        switch subject {
        case .container: arrival.generation == generation || arrival.isRevived
        case .user: arrival.isNewHolder
        }
    }

    private static func room(
        for scope: AssetScope, _ usual: Quota, on connection: PostgresConnection
    ) async throws -> QuotaRoom {
        let row = try await connection.query(
            """
            select q.container_bytes, q.user_bytes,
                (select coalesce(sum(bytes), 0)::int8 from asset.container_usage where container = $1),
                (select coalesce(sum(bytes), 0)::int8 from asset.database_usage
                    where container = $1 and environment = $2 and scope = $3 and owner = $4)
            from (values ($1)) as c(name) left join asset.quota q on q.container = c.name
            """, [.text(scope.container), .text(scope.environment), .text(scope.scope), .text(scope.owner)])[0]
        let quota = usual.overridden(containerBytes: row.int64IfPresent(0), userBytes: row.int64IfPresent(1))
        var parts: [QuotaRoom.Part] = []
        if let limit = quota.userBytes, scope.scope == "private" {
            parts.append(QuotaRoom.Part(subject: .user, limit: limit, used: row.int64(3)))
        }
        if let limit = quota.containerBytes {
            parts.append(QuotaRoom.Part(subject: .container, limit: limit, used: row.int64(2)))
        }
        return QuotaRoom(parts: parts)
    }
}
