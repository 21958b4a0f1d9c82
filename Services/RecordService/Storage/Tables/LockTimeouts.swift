package import PostgresClient

/// The times for which statements wait for locks, where these are shorter than the default. A transaction that does not
/// get a lock in time is rolled back and tried again, so that others can use the connection and the worker.
package enum LockTimeouts {
    /// The time for which a lane waits for a zone.
    package static let lane = Duration.milliseconds(100)
    /// The time for which a worker waits for any lock.
    package static let worker = Duration.milliseconds(250)
    /// The time for which a request is tried again before it is refused.
    package static let request = Duration.seconds(10)

    /// Runs statements with another lock timeout, outside a transaction. (`concurrently` allows no transaction, and
    /// therefore no `set local`. The earlier limit was also set; `reset` would return to the server's default, which is
    /// no limit.) Takes three more round trips.
    ///
    /// - Throws: what `body` throws, or `PostgresError`.
    package static func with(
        _ limit: Duration, on connection: PostgresConnection, _ body: () async throws -> Void
    ) async throws {
        let earlier = try await connection.query("select current_setting('lock_timeout')")[0].string(0)
        try await connection.execute(script: "set lock_timeout = '\(Int(limit / .milliseconds(1)))ms'")
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        _ = try await connection.query("select set_config('lock_timeout', $1, false)", [.text(earlier)])
        try result.get()
    }

    /// Sets the lock timeout, until ``restore`` or the end of the transaction.
    package static func shorten(to limit: Duration) -> PostgresCall {
        PostgresCall(
            """
            select set_config('zonda.lock_timeout', current_setting('lock_timeout'), true),
                set_config('lock_timeout', $1, true)
            """, [.text("\(Int(limit / .milliseconds(1)))ms")])
    }

    /// Restores the lock timeout of before ``shorten(to:)``.
    package static let restore = PostgresCall(
        "select set_config('lock_timeout', current_setting('zonda.lock_timeout'), true)")
}
