internal import CloudKitModel
package import Foundation
internal import PostgresClient
package import ServiceMessages

/// The quotas of databases and containers.
extension BlobTable {
    /// Returns the quotas that currently apply to a database. Takes one round trip.
    ///
    /// - Parameter usual: the quotas of containers that have no quotas of their own.
    package func quotaUsage(of scope: AssetScope, usual: Quota) async throws -> QuotaUsage {
        try await pool.withConnection { try await Self.quotaUsage(of: scope, usual: usual, on: $0) }
    }

    /// Does the same as ``arrive(_:size:for:generation:receiptLife:)``, but changes nothing if a quota would be
    /// exceeded. Uploads to which a quota applies are recorded one after another, under a lock on the database or the
    /// container, so that two of them cannot use the same free bytes.
    ///
    /// - Parameters:
    ///   - quotas: the quotas at the beginning of the upload. If there were none, quotas that are set later do not
    ///     apply.
    ///   - usual: the quotas of containers that have no quotas of their own.
    /// - Throws: ``QuotaExceeded``, `PostgresError`.
    package func arrive(
        _ checksum: AssetChecksum, size: Int64, for scope: AssetScope, generation: UUID, receiptLife: Duration,
        within quotas: QuotaUsage, usual: Quota
    ) async throws -> Arrival {
        guard !quotas.parts.isEmpty else {
            return try await arrive(checksum, size: size, for: scope, generation: generation, receiptLife: receiptLife)
        }
        let call = Self.arrival(checksum, size: size, for: scope, generation: generation, receiptLife: receiptLife)
        return try await pool.withTransaction { connection in
            // These locks are taken before any other lock, and the container's lock is always taken first.
            for key in quotas.parts.map({ Self.lock(for: $0.subject, scope) }).sorted() {
                _ = try await connection.query(
                    "select pg_advisory_xact_lock(hashtextextended($1, 0))", [.text(key)])
            }
            let arrival = Self.arrival(try await connection.pipeline([call])[0][0])
            let now = try await Self.quotaUsage(of: scope, usual: usual, on: connection)
            for part in now.parts where part.used > part.limit && Self.grew(part.subject, by: arrival, generation) {
                throw QuotaExceeded(subject: part.subject, limit: part.limit, actual: part.used)
            }
            return arrival
        }
    }

    private static func lock(for subject: QuotaUsage.Subject, _ scope: AssetScope) -> String {
        switch subject {
        case .container: "zonda quota of \(scope.container)"
        case .user: "zonda quota of \(scope.container) \(scope.environment.rawValue) \(scope.owner)"
        }
    }

    /// Whether the arrival has increased the number of bytes that count towards a quota.
    private static func grew(_ subject: QuotaUsage.Subject, by arrival: Arrival, _ generation: UUID) -> Bool {
        switch subject {
        case .container: arrival.generation == generation || arrival.isRevived
        case .user: arrival.isNewHolder
        }
    }

    private static func quotaUsage(
        of scope: AssetScope, usual: Quota, on connection: PostgresConnection
    ) async throws -> QuotaUsage {
        let row = try await connection.query(
            """
            select q.container_bytes, q.user_bytes,
                (select coalesce(sum(bytes), 0)::int8 from asset.container_usage where container = $1),
                (select coalesce(sum(bytes), 0)::int8 from asset.database_usage
                    where container = $1 and environment = $2 and scope = $3 and owner = $4)
            from (values ($1)) as c(name) left join asset.quota q on q.container = c.name
            """,
            [
                .text(scope.container), .text(scope.environment.rawValue), .text(scope.scope.wireName),
                .text(scope.owner),
            ])[0]
        let quota = usual.overridden(containerBytes: row.int64IfPresent(0), userBytes: row.int64IfPresent(1))
        var parts: [QuotaUsage.Part] = []
        if let limit = quota.userBytes, scope.scope == .private {
            parts.append(QuotaUsage.Part(subject: .user, limit: limit, used: row.int64(3)))
        }
        if let limit = quota.containerBytes {
            parts.append(QuotaUsage.Part(subject: .container, limit: limit, used: row.int64(2)))
        }
        return QuotaUsage(parts: parts)
    }

    /// Sets the quotas of a container: nil for the default, a negative number for no limit.
    package func setQuota(of container: String, containerBytes: Int64?, userBytes: Int64?) async throws {
        _ = try await query(
            """
            insert into asset.quota (container, container_bytes, user_bytes) values ($1, $2, $3)
            on conflict (container) do update
                set container_bytes = excluded.container_bytes, user_bytes = excluded.user_bytes
            """, [.text(container), .int8(containerBytes), .int8(userBytes)])
    }
}
