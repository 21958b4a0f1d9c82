internal import CloudKitModel
internal import CloudKitQuery
internal import PostgresClient
internal import RecordStorage

/// The records that a query searches: the records of one type in one or more zones of one database.
struct QueryTarget {
    /// A zone.
    struct Zone {
        let row: ZoneRow
        let name: ZoneName
    }

    /// The environment, which determines the tables.
    let environment: EnvironmentRow
    /// The record type.
    let type: RecordTypeSchema
    /// The zones, in the order of their rows.
    let zones: [Zone]
    /// The user, if only the user's own records are visible; nil if all records are visible.
    var creator: String?
    /// The zone that contains most of the environment's records, if there is one (``LargeZones``).
    var large: ZoneRow?

    /// Returns the column of a system field. For queries, every record's share is null.
    func column(of key: SystemKey) -> String {
        switch key {
        case .recordName: "name"
        case .createdTimestamp: "created_at"
        case .modifiedTimestamp: "modified_at"
        case .createdUserRecordName: "created_by"
        case .modifiedUserRecordName: "modified_by"
        case .parent: "parent"
        case .share: "null::text"
        }
    }

    /// Returns SQL that selects the names of the records in `zones` whose parent is `parent`. Both arguments are
    /// parameter names.
    func children(of parent: String, in zones: String) -> String {
        """
        select l.source from \(environment.referenceTable) l where l.environment = \(environment.rawValue)
        and l.zone = any(\(zones)) and l.target = \(parent) and l.action = \(RecordLink.Action.parent.rawValue)
        """
    }

    /// The parameter for the only zone. For a large zone, it is a four-byte integer, because PostgreSQL then uses
    /// B-trees but not inverted indexes.
    var zone: PostgresParameter {
        let zone = zones[0].row
        return zone == large
            ? Int32(exactly: zone.rawValue).map { .int4($0) } ?? .int8(zone.rawValue) : .int8(zone.rawValue)
    }

    /// The rows of the zones.
    var rows: [Int64] { zones.map(\.row.rawValue) }

    /// Returns the zones called `name`; all zones if `name` is nil.
    func zones(named name: ZoneName?) -> [Zone] {
        guard let name else { return zones }
        return zones.filter { $0.name == name }
    }

    /// Whether the target of a reference can be in these zones.
    func isHere(_ value: FieldValue) -> Bool { !zones(named: value.zoneOfReference).isEmpty }
}
