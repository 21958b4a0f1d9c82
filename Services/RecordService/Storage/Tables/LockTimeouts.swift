package import PostgresClient

/// Lock timeouts that are shorter than the default. A transaction that does not get a lock in time is rolled back and
/// retried, so that its connection and its worker are free for other work in the meantime.
package enum LockTimeouts {
    /// How long a lane waits for the lock on a zone.
    package static let lane = Duration.milliseconds(100)
    /// How long a worker waits for a lock.
    package static let worker = Duration.milliseconds(250)
    /// How long a request is retried before it is refused.
    package static let request = Duration.seconds(10)

    /// Runs `body` with a different lock timeout, outside a transaction, and then restores the previous one. Takes
    /// three round trips in addition to those of `body`.
    ///
    /// `set local` requires a transaction, but statements with `concurrently` cannot run in one. `reset` would restore
    /// the server's default, which is no limit, instead of the limit that was set before.
    ///
    /// - Throws: any error that `body` throws, or `PostgresError`.
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

    /// Sets the lock timeout until ``restore`` is executed or the transaction ends.
    package static func shorten(to limit: Duration) -> PostgresCall {
        PostgresCall(
            """
            select set_config('zonda.lock_timeout', current_setting('lock_timeout'), true),
                set_config('lock_timeout', $1, true)
            """, [.text("\(Int(limit / .milliseconds(1)))ms")])
    }

    /// Restores the lock timeout that was in effect before ``shorten(to:)``.
    package static let restore = PostgresCall(
        "select set_config('lock_timeout', current_setting('zonda.lock_timeout'), true)")
}
