package import PostgresClient

/// Who may work by an environment's schema while who changes it. All are held until the end of the transaction, and
/// taken before any row is locked; of several environments in the order of their ids.
package enum SchemaLock {
    /// For work by the schema: nothing is taken away from it meanwhile.
    package static func shared(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            "select pg_advisory_xact_lock_shared(hashtext('zonda schema version'), $1)",
            [.int4(environment.rawValue)])
    }

    /// As ``shared(_:)`` without waiting: one row, whether it was granted. It is not while somebody changes the schema, or
    /// waits to.
    package static func tryShared(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            "select pg_try_advisory_xact_lock_shared(hashtext('zonda schema version'), $1)",
            [.int4(environment.rawValue)])
    }

    /// For changes: nobody works by the schema meanwhile.
    package static func exclusive(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            "select pg_advisory_xact_lock(hashtext('zonda schema version'), $1)", [.int4(environment.rawValue)])
    }

    /// For learning: one at a time, beside those who work by the schema.
    package static func learning(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall("select pg_advisory_xact_lock(hashtext('zonda schema'), $1)", [.int4(environment.rawValue)])
    }

    /// The version of the schema; no row: the environment is gone. What is read in the same snapshot, or under a lock
    /// taken before, is of this version.
    package static func version(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall("select schema_version from record.environment where id = $1", [.int4(environment.rawValue)])
    }

    /// The version that ``version(_:)-(EnvironmentRow)`` found; nil when the environment is gone.
    package static func version(_ result: PostgresResult) -> Int64? { result.first?.int64(0) }
}
