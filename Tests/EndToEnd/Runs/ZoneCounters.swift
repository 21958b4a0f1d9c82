import PostgresClient
import TestSupport
import Testing

/// The effects of a load according to the database: the zones' counters, the change log and the request table, which
/// must agree.
struct ZoneCounters {
    /// The number of zones, without default zones.
    let zones: Int
    /// The sum of the zones' counters.
    let sum: Int64
    /// The number of changes in the log.
    let logged: Int64
    /// The number of zones whose log does not contain each number from 1 to the counter exactly once.
    let zonesWithGapsOrOverlaps: Int
    /// The number of rows in the request table that are record writes, followed by the number of distinct ones.
    let requests: Int64
    let distinctRequests: Int64
    /// The number of deadlocks that PostgreSQL detected in this database.
    let deadlocks: Int64

    /// Reads the counts of all zones.
    init(of database: TestDatabase) async throws {
        let zones = try await database.query(
            """
            with logged as (
                select zone, from_seq, to_seq, lag(to_seq, 1, 0::int8) over (partition by zone order by to_seq) as before
                from record.change),
            account as (
                select zone, sum(to_seq - from_seq + 1)::int8 as changes, max(to_seq) as last,
                    bool_or(from_seq <> before + 1) as broken
                from logged group by zone)
            select count(*), coalesce(sum(z.change_seq), 0)::int8, coalesce(sum(a.changes), 0)::int8,
                count(*) filter (where coalesce(a.broken, false) or coalesce(a.last, 0) <> z.change_seq)
            from record.zone z left join account a on a.zone = z.id where z.name <> '_defaultZone'
            """)
        let requests = try await database.query(
            "select count(*), count(distinct (environment, user_name, message_id)) from record.request")
        let statistics = try await database.query(
            "select deadlocks from pg_stat_database where datname = current_database()")
        let (row, request) = (try #require(zones.first), try #require(requests.first))
        self.zones = Int(row.int64(0))
        sum = row.int64(1)
        logged = row.int64(2)
        zonesWithGapsOrOverlaps = Int(row.int64(3))
        self.requests = request.int64(0)
        distinctRequests = request.int64(1)
        deadlocks = try #require(statistics.first).int64(0)
    }
}
