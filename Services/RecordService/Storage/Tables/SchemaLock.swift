package import PostgresClient

/// The locks on an environment's schema. A transaction takes them before it locks any row, and holds them until it
/// ends. It locks the schemas of several environments in order of their ids.
package enum SchemaLock {
    /// Takes the lock for a transaction that uses the schema. While it is held, nothing is removed from the schema.
    package static func shared(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            "select pg_advisory_xact_lock_shared(hashtext('zonda schema version'), $1)",
            [.int4(environment.rawValue)])
    }

    /// Takes the same lock as ``shared(_:)``, but without waiting. The result is one row that indicates whether the
    /// lock was granted. It is not granted while another transaction is changing the schema or waiting to change it.
    static func tryShared(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            "select pg_try_advisory_xact_lock_shared(hashtext('zonda schema version'), $1)",
            [.int4(environment.rawValue)])
    }

    /// Takes the lock for a transaction that changes the schema. While it is held, no other transaction uses the
    /// schema.
    package static func exclusive(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            "select pg_advisory_xact_lock(hashtext('zonda schema version'), $1)", [.int4(environment.rawValue)])
    }

    /// Takes the lock for a transaction that extends the schema. Only one transaction at a time can hold the lock, but
    /// other transactions can still use the schema.
    static func extending(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall("select pg_advisory_xact_lock(hashtext('zonda schema'), $1)", [.int4(environment.rawValue)])
    }

    /// Reads the version of the schema; ``version(_:)-(PostgresResult)`` decodes it. Parts of the schema that are read
    /// in the same snapshot, or under a lock that was already held, belong to this version.
    package static func version(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall("select schema_version from record.environment where id = $1", [.int4(environment.rawValue)])
    }

    /// The version that ``version(_:)-(EnvironmentRow)`` found; nil if the environment is gone.
    package static func version(_ result: PostgresResult) -> Int64? { result.first?.int64(0) }
}
