package import Logging
package import PostgresClient

/// The partitions by time of tables of one schema: made ahead, dropped after a day.
package struct TimePartitions: Sendable {
    /// A table that is partitioned by the time in its column `at`.
    package struct Series: Sendable {
        let table: String
        let hours: Int

        /// Partitions of `hours` hours of `table`.
        package init(table: String, hours: Int) {
            self.table = table
            self.hours = hours
        }
    }

    /// How long rows are kept, hours.
    package static let retentionHours = 24

    private let schema: String
    private let series: [Series]
    private let pool: PostgresPool
    private let logger: Logger

    /// Partitions of those tables of `schema`.
    package init(schema: String, series: [Series], pool: PostgresPool, logger: Logger) {
        self.schema = schema
        self.series = series
        self.pool = pool
        self.logger = logger
    }

    /// Makes the partitions around now; then drops the old ones, unless another instance is at it. That a partition
    /// cannot be dropped is logged and tried again next time: it never stands in the way of making one.
    ///
    /// - Throws: `PostgresError` when a partition cannot be made.
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

    /// As ``runOnce()``, for a writer who found none; a failure is logged, the writer tries again anyway.
    package func ensureNow() async {
        do {
            try await runOnce()
        } catch {
            logger.error("partitions could not be made", metadata: ["error": "\(error)"])
        }
    }

    /// From an hour back to three spans ahead, by the database's clock, as the rows are.
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

    /// Detaching `concurrently` waits for running statements without holding new ones up; it takes no transaction, and
    /// a process that ends in the middle leaves a partition half detached or a table that belongs to nobody: both are
    /// found by name and finished.
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
