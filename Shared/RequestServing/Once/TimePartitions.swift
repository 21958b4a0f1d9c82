package import Logging
package import PostgresClient

/// The time partitions of tables in one schema. They are created in advance, and dropped when all their rows are older
/// than a day.
package struct TimePartitions: Sendable {
    /// A table partitioned by the time in its `at` column.
    package struct Series: Sendable {
        let table: String
        let hours: Int

        /// Creates a series of partitions of `table`, each spanning `hours` hours.
        package init(table: String, hours: Int) {
            self.table = table
            self.hours = hours
        }
    }

    /// How long rows are kept, in hours.
    package static let retentionHours = 24

    private let schema: String
    private let series: [Series]
    private let pool: PostgresPool
    private let logger: Logger

    /// Creates a description of the partitioned tables in `schema`. Does not execute anything.
    package init(schema: String, series: [Series], pool: PostgresPool, logger: Logger) {
        self.schema = schema
        self.series = series
        self.pool = pool
        self.logger = logger
    }

    /// Creates the partitions around the current time, and then drops the old ones, unless another instance is already
    /// dropping them. If a partition cannot be dropped, the failure is logged, and the next call tries again. A failure
    /// to drop a partition never prevents the creation of new ones.
    ///
    /// - Throws: `PostgresError` if a partition cannot be created.
    package func runOnce() async throws {
        for series in series { try await make(series) }
        for series in series {
            do {
                try await drop(series)
            } catch {
                logger.warning("old partitions could not be dropped", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Does the same as ``runOnce()``, for a writer whose partition was missing. A failure is only logged, because the
    /// writer retries anyway.
    package func ensureNow() async {
        do {
            try await runOnce()
        } catch {
            logger.error("partitions could not be created", metadata: ["error": "\(error)"])
        }
    }

    /// Creates the partitions for the time from one hour ago to three partition lengths ahead. Uses the database's
    /// clock, which also sets the time of rows.
    private func make(_ series: Series) async throws {
        try await pool.withTransaction { connection in
            _ = try await connection.query(
                "select pg_advisory_xact_lock(hashtext('zonda partitions'), hashtext($1))",
                [.text("\(schema).\(series.table)")])
            let missing = try await connection.query(
                """
                select s.name, s.lower::text, s.upper::text
                from (select $1 || '_' || to_char(t.at at time zone 'UTC', 'YYYYMMDDHH24') as name, t.at as lower,
                        t.at + make_interval(hours => $2) as upper
                    from generate_series(
                        date_bin(make_interval(hours => $2), now() - interval '1 hour', timestamptz '2000-01-01 00:00Z'),
                        now() + make_interval(hours => 3 * $2), make_interval(hours => $2)) as t(at)) s
                where to_regclass($3 || '.' || s.name) is null
                """,
                [.text(series.table), .int4(Int32(series.hours)), .text(schema)])
            for row in missing {
                let (name, lower, upper) = (row.string(0), row.string(1), row.string(2))
                try await connection.execute(
                    script: """
                        create table \(schema).\(name) (like \(schema).\(series.table) including all);
                        alter table \(schema).\(series.table) attach partition \(schema).\(name)
                            for values from ('\(lower)') to ('\(upper)');
                        """)
            }
        }
    }

    /// Drops the old partitions. `detach … concurrently` waits for running statements without blocking new ones, and
    /// cannot run in a transaction. A process that ends in the middle of this work leaves a partition that is partly or
    /// completely detached. The next run finds the partition by its name and finishes the work.
    private func drop(_ series: Series) async throws {
        _ = try await pool.withConnection { connection in
            try await connection.withAdvisoryLock(PostgresAdvisoryLock("zonda partitions dropped: \(schema)")) {
                try await dropOld(series, on: connection)
            }
        }
    }

    private func dropOld(_ series: Series, on connection: PostgresConnection) async throws {
        let old = try await connection.query(
            """
            select c.relname::text, i.inhrelid is not null, coalesce(i.inhdetachpending, false)
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            left join pg_inherits i on i.inhrelid = c.oid
            where n.nspname = $3 and c.relkind = 'r' and c.relname ~ ('^' || $1 || '_[0-9]{10}$')
                and c.relname::text < $1 || '_' || to_char(
                    (now() - make_interval(hours => $2)) at time zone 'UTC', 'YYYYMMDDHH24')
            """,
            [.text(series.table), .int4(Int32(Self.retentionHours + series.hours)), .text(schema)])
        for row in old {
            let name = row.string(0)
            logger.info("dropping an old partition", metadata: ["partition": "\(name)"])
            if row.bool(1) {
                let how = row.bool(2) ? "finalize" : "concurrently"
                try await connection.execute(
                    script: "alter table \(schema).\(series.table) detach partition \(schema).\(name) \(how)")
            }
            try await connection.execute(script: "drop table \(schema).\(name)")
        }
    }
}
