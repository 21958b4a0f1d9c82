package import Logging
package import PostgresClient

/// The partitions by time of the change log and the request table: made ahead, dropped after a day.
package struct TimePartitions: Sendable {
    private struct Series {
        let table: String
        let hours: Int
    }

    private static let series = [Series(table: "change", hours: 1), Series(table: "request", hours: 4)]
    /// How long rows are kept, hours.
    package static let retentionHours = 24

    private let pool: PostgresPool
    private let logger: Logger

    /// Partitions over `pool`.
    package init(pool: PostgresPool, logger: Logger) {
        self.pool = pool
        self.logger = logger
    }

    /// Makes the partitions around now and drops the old ones, unless another instance is at it.
    ///
    /// - Throws: `PostgresError`.
    package func runOnce() async throws {
        for series in Self.series {
            try await make(series)
            try await drop(series)
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

    /// An hour back (clocks differ) and three spans ahead, each in a transaction of its own.
    private func make(_ series: Series) async throws {
        try await pool.withTransaction { connection in
            _ = try await connection.query(
                "select pg_advisory_xact_lock(hashtext('zonda partitions'), hashtext($1))", [.text(series.table)])
            let missing = try await connection.query(
                """
                select s.name, s.lower::text, s.upper::text
                from (select $1 || '_' || to_char(t.at at time zone 'UTC', 'YYYYMMDDHH24') as name, t.at as lower,
                        t.at + make_interval(hours => $2) as upper
                    from generate_series(
                        date_bin(make_interval(hours => $2), now() - interval '1 hour', timestamptz '2000-01-01 00:00Z'),
                        now() + make_interval(hours => 3 * $2), make_interval(hours => $2)) as t(at)) s
                where to_regclass('record.' || s.name) is null
                """,
                [.text(series.table), .int4(Int32(series.hours))])
            for row in missing {
                let (name, lower, upper) = (row.string(0), row.string(1), row.string(2))
                try await connection.execute(
                    script: """
                        create table record.\(name) (like record.\(series.table) including all);
                        alter table record.\(series.table) attach partition record.\(name)
                            for values from ('\(lower)') to ('\(upper)');
                        """)
            }
        }
    }

    private func drop(_ series: Series) async throws {
        let old = try await pool.withConnection { connection in
            try await connection.query(
                """
                select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
                where i.inhparent = ('record.' || $1)::regclass
                    and c.relname::text < $1 || '_' || to_char(
                        (now() - make_interval(hours => $2)) at time zone 'UTC', 'YYYYMMDDHH24')
                """,
                [.text(series.table), .int4(Int32(Self.retentionHours + series.hours))]
            ).map { $0.string(0) }
        }
        for name in old {
            logger.info("dropping an old partition", metadata: ["partition": "\(name)"])
            // One of several instances gets there first; for the others the partition is simply gone.
            try await pool.withConnection { connection in
                try await connection.execute(
                    script: "alter table record.\(series.table) detach partition record.\(name) concurrently")
                try await connection.execute(script: "drop table if exists record.\(name)")
            }
        }
    }
}
