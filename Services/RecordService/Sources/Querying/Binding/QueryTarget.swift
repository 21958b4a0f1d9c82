internal import CloudKitModel
internal import CloudKitQuery
internal import PostgresClient
internal import RecordStorage

/// Where a query looks: records of one type in zones of one database.
struct QueryTarget {
    /// A zone.
    struct Zone {
        let row: ZoneRow
        let name: ZoneName
    }

    /// The environment, which names the tables.
    let environment: EnvironmentRow
    /// The record type.
    let type: RecordTypeSchema
    /// The zones, in the order of their rows.
    let zones: [Zone]
    /// Only records that this user made may be seen; nil: all.
    var creator: String?
    /// Of the zones, the one that holds most of the table (``LargeZones``).
    var large: ZoneRow?

    /// The column of a system field; nothing has a share yet.
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

    /// The names of the records whose parent is `parent`, in `zones`; both are parameters.
    func children(of parent: String, in zones: String) -> String {
        """
        select l.source from \(environment.referenceTable) l where l.environment = \(environment.rawValue)
        and l.zone = any(\(zones)) and l.target = \(parent) and l.action = \(RecordLink.Action.parent.rawValue)
        """
    }

    /// The parameter of the only zone. PostgreSQL uses a number of four bytes with B-trees, and not with inverted indexes.
    var zone: PostgresParameter {
        let zone = zones[0].row
        return zone == large
            ? Int32(exactly: zone.rawValue).map { .int4($0) } ?? .int8(zone.rawValue) : .int8(zone.rawValue)
    }

    /// The rows of the zones.
    var rows: [Int64] { zones.map(\.row.rawValue) }

    /// The zones of that name.
    func zones(named name: ZoneName?) -> [Zone] {
        guard let name else { return zones }
        return zones.filter { $0.name == name }
    }

    /// Whether a reference can be to a record of these zones.
    func isHere(_ value: FieldValue) -> Bool { !zones(named: value.zoneOfReference).isEmpty }
}
