/// An advisory lock with two 32-bit keys. In all sessions of a database, the same keys denote the same lock.
package struct PostgresAdvisoryLock: Sendable, Hashable {
    /// A name that identifies the program and the locked resource. The server hashes it to obtain the first key.
    package let name: String
    /// The second key, which distinguishes locks with the same name.
    package let key: Int32

    /// Creates a lock with this name and key.
    package init(_ name: String, key: Int32 = 0) { (self.name, self.key) = (name, key) }
}

/// How long a cancelled task waits for the server to release its lock.
private let advisoryUnlockLimit = Duration.seconds(1)

extension PostgresConnection {
    /// Runs `body` while this session holds the lock. Returns nil immediately if another session holds the lock. Adds
    /// two round trips to those of `body`.
    ///
    /// The lock belongs to the session, not to a transaction. It is released when `body` returns or throws, even in a
    /// cancelled task; the server releases it when the connection is lost. If the server does not answer, a cancelled
    /// task gives up after a second and closes the connection.
    ///
    /// - Throws: a `PostgresError` if taking or releasing the lock fails, or any error that `body` throws.
    package nonisolated func withAdvisoryLock<Value: Sendable>(
        _ lock: PostgresAdvisoryLock, _ body: () async throws -> Value
    ) async throws -> Value? {
        let keys: [PostgresParameter] = [.text(lock.name), .int4(lock.key)]
        guard try await query("select pg_try_advisory_lock(hashtext($1), $2)", keys).first?.bool(0) == true else {
            return nil
        }
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        // The lock is released in a separate task: a cancelled task sends no statements, so the session would keep the
        // lock.
        let unlocking = Task { try await query("select pg_advisory_unlock(hashtext($1), $2)", keys) }
        let unlocked = await withTaskCancellationHandler {
            await unlocking.result
        } onCancel: {
            // If the server is no longer answering, cancelling the statement closes the connection, so the task ends.
            Task {
                try? await Task.sleep(for: advisoryUnlockLimit)
                unlocking.cancel()
            }
        }
        let value = try result.get()
        _ = try unlocked.get()
        return value
    }
}
