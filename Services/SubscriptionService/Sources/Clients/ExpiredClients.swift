internal import CoreMetrics
internal import PostgresClient
internal import SubscriptionStorage

/// Removes expired registrations, and the queues of clients that have no other registration.
///
/// The rows are removed in a transaction that holds the client's lock, and the queue is deleted before this transaction
/// commits. A registration of the same token waits for the lock and then declares the queue again. While the broker is
/// unavailable, the rows are left for a later run. If a queue remains anyway, the broker deletes it after it has been
/// unused for some time.
struct ExpiredClients: Sendable {
    /// The maximum number of clients that one run removes.
    private static let maxClients = 500
    /// The maximum number of ended sessions that one run removes.
    private static let maxEndedSessions = 10_000

    let pool: PostgresPool
    let queues: ClientQueues
    let metrics: SubscriptionMetrics

    /// Removes expired registrations and old rows of ended sessions, and counts the registered clients.
    ///
    /// - Throws: `PostgresError`, `AMQPError`.
    func runOnce() async throws {
        let expired = try await pool.withConnection { connection in
            try await connection.pipeline([ClientTable.expired(limit: Self.maxClients)])[0].map { $0.string(0) }
        }
        for name in expired { try await remove(name) }
        _ = try await pool.withConnection {
            try await $0.pipeline([SessionTable.removeOld(limit: Self.maxEndedSessions)])
        }
        let count = try await pool.withConnection { connection in
            try await connection.pipeline([ClientTable.countAll])[0].first?.int64(0) ?? 0
        }
        metrics.clients.set(Double(count))
    }

    private func remove(_ name: String) async throws {
        try await pool.withTransaction { connection in
            // If the lock is taken, another instance is removing the client, or a registration is in progress.
            guard try await connection.pipeline([ClientTable.tryLock(name)])[0].first?.bool(0) == true else { return }
            try await remove(name, connection)
        }
    }

    /// Removes the expired registrations of a client, and its queue if the client has no other registrations.
    ///
    /// - Throws: `PostgresError`, `AMQPError`. The next run retries the removal.
    func removeNow(_ name: String) async throws {
        try await pool.withTransaction { connection in
            _ = try await connection.pipeline([ClientTable.lock(name)])
            try await remove(name, connection)
        }
    }

    private func remove(_ name: String, _ connection: PostgresConnection) async throws {
        let results = try await connection.pipeline([
            ClientTable.removeExpired(name), ClientTable.findAny(name),
        ])
        if results[1].first == nil { try await queues.delete(name) }
    }
}
