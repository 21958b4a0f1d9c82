internal import CoreMetrics
internal import PostgresClient

/// Removes registrations that nobody has renewed, and the queues of clients that nobody has registered any more.
///
/// Row and queue go in one transaction under the client's lock, which registering takes too: whoever registers the token
/// meanwhile waits, and makes the queue again after it was deleted. When the broker is away the rows stay, and are
/// removed another time. A queue that was forgotten nevertheless deletes itself, since nobody reads it.
struct ExpiredClients: Sendable {
    /// Clients of one round; the others' turn is the next one's.
    private static let maxClients = 500

    let pool: PostgresPool
    let queues: ClientQueues
    let metrics: SubscriptionMetrics

    /// Removes what has expired, and counts who is registered.
    ///
    /// - Throws: `PostgresError`, `AMQPError`.
    func runOnce() async throws {
        let expired = try await pool.withConnection { connection in
            try await connection.pipeline([ClientTable.expired(limit: Self.maxClients)])[0].map { $0.string(0) }
        }
        for name in expired { try await remove(name) }
        let count = try await pool.withConnection { connection in
            try await connection.pipeline([ClientTable.countAll])[0].first?.int64(0) ?? 0
        }
        metrics.clients.set(Double(count))
    }

    private func remove(_ name: String) async throws {
        try await pool.withTransaction { connection in
            // Another instance is at it, or the token is being registered.
            guard try await connection.pipeline([ClientTable.tryLock(name)])[0].first?.bool(0) == true else { return }
            let results = try await connection.pipeline([
                ClientTable.removeExpired(name), ClientTable.findAny(name),
            ])
            if results[1].first == nil { try await queues.delete(name) }
        }
    }
}
