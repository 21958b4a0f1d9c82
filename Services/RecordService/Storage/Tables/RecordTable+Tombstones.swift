internal import PostgresClient

extension RecordTable {
    /// The maximum number of tombstones that one transaction purges. Their zones are locked for the few milliseconds
    /// that the deletion takes.
    static let maxPurgedTombstones = 1000

    /// The SQL that selects the oldest tombstones that are due for removal. It can use the `record_tombstones` index.
    /// `$1` is the retention period in seconds.
    private static let due = """
        fields is null and modified_at < now() - make_interval(secs => $1) order by modified_at \
        limit \(maxPurgedTombstones)
        """

    /// Reads the zones of the oldest tombstones that are due for removal, one row for each tombstone;
    /// ``zones(ofTombstones:)`` decodes them.
    func dueTombstones(retention: Duration) -> PostgresCall {
        PostgresCall(
            PostgresStatement("select zone from \(table) where \(Self.due)"), [.float8(retention / .seconds(1))])
    }

    /// The zones that ``dueTombstones(retention:)`` found, one for each tombstone.
    static func zones(ofTombstones result: PostgresResult) -> [ZoneRow] {
        result.map { ZoneRow($0.int64(0)) }
    }

    /// Deletes the tombstones in `zones` that are among the oldest due for removal; ``marks(_:)`` and ``deleted(_:)``
    /// decode the result. The zones must be locked.
    func deleteTombstones(retention: Duration, in zones: [ZoneRow]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                delete from \(table) where ctid = any(array(select ctid from \(table) where \(Self.due)))
                    and zone = any($2)
                returning zone, change_seq, name
                """),
            [.float8(retention / .seconds(1)), .int8Array(zones.map(\.rawValue))])
    }

    /// The tombstones that ``deleteTombstones(retention:in:)`` deleted.
    static func deleted(_ result: PostgresResult) -> [RecordKey] {
        result.map { RecordKey(zone: ZoneRow($0.int64(0)), name: $0.recordName(2)) }
    }

    /// The number of the last tombstone that ``deleteTombstones(retention:in:)`` deleted in each zone.
    static func marks(_ result: PostgresResult) -> [ZoneRow: Int64] {
        Dictionary(result.map { (ZoneRow($0.int64(0)), $0.int64(1)) }, uniquingKeysWith: max)
    }
}
