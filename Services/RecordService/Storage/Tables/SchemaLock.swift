package import PostgresClient

/// The locks of an environment's schema. They are held until the end of the transaction and taken before any row is
/// locked; the locks of several environments are taken in the order of their ids.
package enum SchemaLock {
    /// The lock of a transaction that uses the schema: nothing is removed from the schema meanwhile.
    package static func shared(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            "select pg_advisory_xact_lock_shared(hashtext('zonda schema version'), $1)",
            [.int4(environment.rawValue)])
    }

    /// Takes the same lock as ``shared(_:)`` without waiting: one row, whether it was granted. It is not granted while
    /// another transaction changes the schema or waits to do so.
    static func tryShared(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            "select pg_try_advisory_xact_lock_shared(hashtext('zonda schema version'), $1)",
            [.int4(environment.rawValue)])
    }

    /// The lock of a transaction that changes the schema: no other transaction uses the schema meanwhile.
    package static func exclusive(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            "select pg_advisory_xact_lock(hashtext('zonda schema version'), $1)", [.int4(environment.rawValue)])
    }

    /// The lock of a transaction that extends the schema: one at a time, beside those that use the schema.
    static func extending(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall("select pg_advisory_xact_lock(hashtext('zonda schema'), $1)", [.int4(environment.rawValue)])
    }

    /// Reads the version of the schema; ``version(_:)-(PostgresResult)`` decodes it. What is read in the same snapshot,
    /// or under a lock that was taken before, belongs to this version.
    package static func version(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall("select schema_version from record.environment where id = $1", [.int4(environment.rawValue)])
    }

    /// The version that ``version(_:)-(EnvironmentRow)`` found; nil when the environment is gone.
    package static func version(_ result: PostgresResult) -> Int64? { result.first?.int64(0) }
}
