package import PostgresClient

/// How long the statements of a transaction wait for locks, where that is less than elsewhere. Who meets a lock that is
/// held longer steps back and tries again, so that others have the connection and the worker meanwhile.
package enum LockPatience {
    /// What a lane waits for a zone.
    package static let lane = Duration.milliseconds(100)
    /// What a worker waits for anything.
    package static let worker = Duration.milliseconds(250)
    /// For so long a request is tried again; then it is refused.
    package static let request = Duration.seconds(10)

    /// Waits at most that long from now on, until ``restore`` or the end of the transaction.
    package static func shorten(to limit: Duration) -> PostgresCall {
        PostgresCall(
            """
            select set_config('zonda.lock_timeout', current_setting('lock_timeout'), true),
                set_config('lock_timeout', $1, true)
            """, [.text("\(Int(limit / .milliseconds(1)))ms")])
    }

    /// Waits as long as before ``shorten(to:)``.
    package static let restore = PostgresCall(
        "select set_config('lock_timeout', current_setting('zonda.lock_timeout'), true)")
}
