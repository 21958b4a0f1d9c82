internal import CoreMetrics
internal import PostgresClient
internal import SubscriptionStorage

/// Removes registrations that have expired, because nobody renewed them or because they were to be forgotten, and the queues of clients that nobody has registered any more.
///
/// Row and queue go in one transaction under the client's lock, which registering takes too: whoever registers the token
/// meanwhile waits, and makes the queue again after it was deleted. When the broker is away the rows stay, and are
/// removed another time. A queue that was forgotten nevertheless deletes itself, since nobody reads it.
struct ExpiredClients: Sendable {
    /// Clients of one round; the others' turn is the next one's.
    private static let maxClients = 500
    /// Ended sign-ins that one round forgets.
    private static let maxEndedSessions = 10_000

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
            // Another instance is at it, or the token is being registered.
            guard try await connection.pipeline([ClientTable.tryLock(name)])[0].first?.bool(0) == true else { return }
            try await remove(name, connection)
        }
    }

    /// Removes the expired registrations of a client now, and its queue if there are no others.
    ///
    /// - Throws: `PostgresError`, `AMQPError`; the next round tries again then.
    func removeNow(_ name: String) async throws {
        try await pool.withTransaction { connection in
            _ = try await connection.pipeline([ClientTable.lock(name)])
            try await remove(name, connection)
        }
    }

    private func remove(_ name: String, _ connection: PostgresConnection) async throws {
        let results = try await connection.pipeline([ClientTable.removeExpired(name), ClientTable.findAny(name)])
        if results[1].first == nil { try await queues.delete(name) }
    }
}
