internal import PostgresClient

/// The SQL statements that purge the departures, former participants and ended shares of an environment after their
/// retention.
struct DepartureTable: Sendable {
    /// The maximum number of rows that each statement of ``delete(in:)`` deletes.
    static let maxPurged = 1000

    private let environment: EnvironmentRow
    private let retention: PostgresParameter

    /// Creates the statements for an environment.
    ///
    /// - Parameter retention: how long departures and the ends of shares are reported.
    init(_ environment: EnvironmentRow, retention: Duration) {
        self.environment = environment
        self.retention = .float8(retention / .seconds(1))
    }

    private static let dueDepartures = """
        environment = $1 and left_at < now() - make_interval(secs => $2) order by left_at limit \(maxPurged)
        """

    private static let dueParticipants = """
        environment = $1 and status in (3, 4) and lost_at < now() - make_interval(secs => $2)
        order by lost_at limit \(maxPurged)
        """

    /// A share is due only when no records are left in it, because the job that removes its records reads from the
    /// share's row by which change they left.
    private static func dueShares(_ records: String) -> String {
        """
        s.environment = $1 and s.ended_at < now() - make_interval(secs => $2) and not exists (
            select from \(records) r where r.environment = $1 and r.zone = s.zone and r.share = s.id
                and r.fields is not null)
        order by s.ended_at limit \(maxPurged)
        """
    }

    /// Reads the zones of the oldest departures, ended shares and former participants that are due, one row for each of
    /// these; ``zones(_:)`` decodes them.
    var due: [PostgresCall] {
        let parameters = [.int4(environment.rawValue), retention]
        return [
            PostgresCall(
                PostgresStatement("select zone from record.departure where \(Self.dueDepartures)"), parameters),
            PostgresCall(
                PostgresStatement(
                    "select zone from record.share s where \(Self.dueShares(environment.recordTable))"), parameters),
            PostgresCall(
                PostgresStatement("select zone from record.participant where \(Self.dueParticipants)"), parameters),
        ]
    }

    /// The zones that a statement of ``due`` found.
    static func zones(_ result: PostgresResult) -> [ZoneRow] { result.map { ZoneRow($0.int64(0)) } }

    /// Reads which of `zones` no longer exist, and therefore receive no writes; ``zones(_:)`` decodes them.
    static func missing(of zones: [ZoneRow]) -> PostgresCall {
        PostgresCall(
            """
            select k.zone from unnest($1::int8[]) as k(zone)
            where not exists (select from record.zone z where z.id = k.zone)
            """, [.int8Array(zones.map(\.rawValue))])
    }

    /// Deletes the oldest due departures, some participants and some requesters of the due shares, the due shares that
    /// have neither of them left, and the oldest due former participants, all of them only in `zones`, which must be
    /// locked. ``marks(_:)`` decodes the results. As soon as a participant is deleted, the share is missing from what that
    /// user could see, so the same transaction must raise the marks.
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
                    with gone as (
                        delete from record.participant where ctid = any(array(
                            select p.ctid from (select s.zone, s.id from record.share s where \(due)) s
                            cross join lateral (
                                select p.ctid from record.participant p where p.zone = s.zone and p.share = s.id
                                limit \(Self.maxPurged)) p
                            where s.zone = any($3) limit \(Self.maxPurged)))
                        returning zone, share, role, since_seq, changed_xid)
                    select g.zone, s.ended_seq,
                        case when g.role <> 1 and g.since_seq is not null then greatest(g.changed_xid, s.changed_xid) end
                    from gone g join record.share s on s.zone = g.zone and s.id = g.share
                    """), parameters),
            // ``Reclaimer`` deletes the requesters, except those of shares that ended in an earlier release.
            PostgresCall(
                PostgresStatement(
                    """
                    delete from record.requester where ctid = any(array(
                        select q.ctid from (select s.zone, s.id from record.share s where \(due)) s
                        cross join lateral (
                            select q.ctid from record.requester q where q.zone = s.zone and q.share = s.id
                            limit \(Self.maxPurged)) q
                        where s.zone = any($3) limit \(Self.maxPurged)))
                    """), parameters),
            PostgresCall(
                PostgresStatement(
                    """
                    delete from record.share e
                    where ctid = any(array(select s.ctid from record.share s where \(due)))
                        and zone = any($3) and not exists (
                            select from record.participant p where p.zone = e.zone and p.share = e.id)
                        and not exists (select from record.requester q where q.zone = e.zone and q.share = e.id)
                    returning zone, ended_seq
                    """), parameters),
            PostgresCall(
                PostgresStatement(
                    """
                    delete from record.participant
                    where ctid = any(array(select ctid from record.participant where \(Self.dueParticipants)))
                        and zone = any($3)
                    returning zone, coalesce(until_seq, 0), case when since_seq is not null then changed_xid end
                    """), parameters),
        ]
    }

    /// Whether participants or requesters of due shares might be left after ``delete(in:)``.
    static func isIncomplete(_ deleted: [PostgresResult]) -> Bool {
        deleted[1...2].contains { $0.affectedRows == maxPurged }
    }

    /// Raises the mark up to which the feed of the shared database is incomplete, if the second or the last statement of
    /// ``delete(in:)`` deleted participants who had access.
    func raiseMark(_ deleted: [PostgresResult]) -> [PostgresCall] {
        let participants = [deleted[1], deleted[4]].joined()
        guard let mark = participants.compactMap({ $0.xid8IfPresent(2) }).max() else { return [] }
        return [
            PostgresCall(
                """
                insert into record.shared_database as d (environment, purge_mark) values ($1, $2)
                on conflict (environment) do update set purge_mark = greatest(d.purge_mark, excluded.purge_mark)
                """, [.int4(environment.rawValue), .xid8(mark)])
        ]
    }

    /// The largest change number of the deleted rows in each zone.
    static func marks(_ results: [PostgresResult]) -> [ZoneRow: Int64] {
        Dictionary(results.joined().map { (ZoneRow($0.int64(0)), $0.int64(1)) }, uniquingKeysWith: max)
    }
}
