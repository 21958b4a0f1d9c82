/// The two 32-bit keys of an advisory lock, which all sessions of a database share.
package struct PostgresAdvisoryLock: Sendable, Hashable {
    /// Hashed by the server: the name of the program and of what is locked.
    package let name: String
    /// Which one of them.
    package let key: Int32

    /// The lock of `name`, number `key`.
    package init(_ name: String, key: Int32 = 0) { (self.name, self.key) = (name, key) }
}

extension PostgresConnection {
    /// Runs `body` while this session holds the lock; nil at once when another session holds it. Two round trips beside
    /// those of `body`.
    ///
    /// The lock belongs to the session, not to a transaction: it is released when `body` ends, also by an error, and by the
    /// server when the connection is lost.
    ///
    /// - Throws: `PostgresError` of the two statements, and what `body` throws.
    package nonisolated func withAdvisoryLock<Value: Sendable>(
        _ lock: PostgresAdvisoryLock, _ body: () async throws -> Value
    ) async throws -> Value? {
        let keys: [PostgresParameter] = [.text(lock.name), .int4(lock.key)]
        guard try await query("select pg_try_advisory_lock(hashtext($1), $2)", keys).first?.bool(0) == true else {
            return nil
        }
        let value: Value
        do {
            value = try await body()
        } catch {
            _ = try? await query("select pg_advisory_unlock(hashtext($1), $2)", keys)
            throw error
        }
        _ = try await query("select pg_advisory_unlock(hashtext($1), $2)", keys)
        return value
    }
}
