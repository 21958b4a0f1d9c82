internal import PostgresClient

/// The SQL statements for the departures and ended shares of an environment that are older than the retention period.
struct DepartureTable: Sendable {
    /// The maximum number of rows of each kind (departures, ended shares, participants) that one transaction purges.
    static let maxPurged = 1000

    private let environment: EnvironmentRow
    private let retention: PostgresParameter

    /// Creates the statements for an environment.
    ///
    /// - Parameter retention: how long a departure and the end of a share are reported.
    init(_ environment: EnvironmentRow, retention: Duration) {
        self.environment = environment
        self.retention = .float8(retention / .seconds(1))
    }

    private static let dueDepartures = """
        environment = $1 and left_at < now() - make_interval(secs => $2) order by left_at limit \(maxPurged)
        """

    /// Selects the oldest due shares. A share is due only when it is empty, because the job that removes its records
    /// reads `ended_seq` from its row.
    private static func dueShares(_ records: String) -> String {
        """
        s.environment = $1 and s.ended_at < now() - make_interval(secs => $2) and not exists (
            select from \(records) r where r.environment = $1 and r.zone = s.zone and r.share = s.id
                and r.fields is not null)
        order by s.ended_at limit \(maxPurged)
        """
    }

    /// Reads the zones of the oldest departures and ended shares that are due, one row for each; ``zones(_:)`` decodes
    /// them.
    var due: [PostgresCall] {
        let parameters = [.int4(environment.rawValue), retention]
        return [
            PostgresCall(
                PostgresStatement("select zone from record.departure where \(Self.dueDepartures)"), parameters),
            PostgresCall(
                PostgresStatement(
                    "select zone from record.share s where \(Self.dueShares(environment.recordTable))"), parameters),
        ]
    }

    /// The zones that a statement of ``due`` found.
    static func zones(_ result: PostgresResult) -> [ZoneRow] { result.map { ZoneRow($0.int64(0)) } }

    /// Deletes the oldest due departures, some participants of the due shares, and the due shares that have no
    /// participants left, but nothing outside `zones`. The zones must be locked. ``marks(_:)`` decodes the first and
    /// the last result.
    func delete(in zones: [ZoneRow]) -> [PostgresCall] {
        let parameters = [.int4(environment.rawValue), retention, .int8Array(zones.map(\.rawValue))]
        let due = Self.dueShares(environment.recordTable)
        return [
            PostgresCall(
                PostgresStatement(
                    """
                    delete from record.departure
                    where ctid = any(array(select ctid from record.departure where \(Self.dueDepartures)))
                        and zone = any($3)
                    returning zone, seq
                    """), parameters),
            PostgresCall(
                PostgresStatement(
                    """
                    delete from record.participant where ctid = any(array(
                        select p.ctid from (select s.zone, s.id from record.share s where \(due)) s
                        cross join lateral (
                            select p.ctid from record.participant p where p.zone = s.zone and p.share = s.id
                            limit \(Self.maxPurged)) p
                        where s.zone = any($3) limit \(Self.maxPurged)))
                    """), parameters),
            PostgresCall(
                PostgresStatement(
                    """
                    delete from record.share e
                    where ctid = any(array(select s.ctid from record.share s where \(due)))
                        and zone = any($3) and not exists (
                            select from record.participant p where p.zone = e.zone and p.share = e.id)
                    returning zone, ended_seq
                    """), parameters),
        ]
    }

    /// The largest change number among the deleted rows of each zone.
    static func marks(_ results: PostgresResult...) -> [ZoneRow: Int64] {
        Dictionary(results.joined().map { (ZoneRow($0.int64(0)), $0.int64(1)) }, uniquingKeysWith: max)
    }
}
