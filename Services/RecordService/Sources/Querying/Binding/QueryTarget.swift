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

    /// The records that the user can see in a zone of the shared database. They are determined in the snapshot in which
    /// the records are read.
    enum Visibility {
        /// All records.
        case all
        /// The members of some shares. They are read through the index on the members of shares, so that the work
        /// depends only on these shares, not on the rest of the zone.
        case members([ShareID])
        /// The members of some large shares. They are read through the indexes on all records of the zone.
        case large([ShareID])
    }

    /// The environment, which determines the tables.
    let environment: EnvironmentRow
    /// The record type.
    let type: RecordTypeSchema
    /// The zones, in order of their rows.
    let zones: [Zone]
    /// The user, if only the user's own records are visible; nil if all records are visible.
    var creator: String?
    /// The user whose access to the zone must be read; nil outside the shared database.
    var participant: String?
    /// The records that the user can see.
    var visibility = Visibility.all
    /// The moves in the zone of a participant. If records are leaving shares, the parents of the members are checked.
    var moves = ShareMoves.none
    /// The zone that contains most of the environment's records, if there is one (``LargeZones``).
    var large: ZoneRow?

    /// Returns the column of a system field, for rows `r` of records. In queries, the share of every record is null.
    func column(of key: SystemKey) -> String {
        switch key {
        case .recordName: "name"
        case .createdTimestamp: "created_at"
        case .modifiedTimestamp: "modified_at"
        case .createdUserRecordName: "created_by"
        case .modifiedUserRecordName: "modified_by"
        case .parent: participant == nil ? "parent" : Self.shownParent
        case .share: "null::text"
        }
    }

    /// The parent of a record as participants see it: the root of a share has no parent
    /// (``StoredSharing/hidesParentFromParticipants``). The share is read for every record, whatever the parent is, so
    /// that the work does not depend on a hidden name.
    private static let shownParent = """
        (case when (select s.root = r.name from record.share s
            where s.zone = r.zone and s.id = r.share and s.ended_seq is null) then null else r.parent end)
        """

    /// Returns the record in `row`, without its parent if the parent is hidden from the user.
    ///
    /// - Throws: the same errors as ``RecordRow/record()``.
    func record(_ row: RecordRow) throws -> StoredRecord {
        var record = try row.record()
        if participant != nil, record.sharing?.hidesParentFromParticipants == true { record.parent = nil }
        return record
    }

    /// Returns a binder for the queries of `user`. Participants cannot query shares by the user who last modified them,
    /// because an acceptance is a modification, and not every participant is allowed to know who has accepted.
    func binder(for user: String) -> PredicateBinder<RecordTypeSchema> {
        let isHidden = participant != nil && type.name == RecordTypeName.share.rawValue
        return PredicateBinder(type, user: user, hiddenKeys: isHidden ? [.modifiedUserRecordName] : [])
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

    /// Returns whether the target of a reference can be in these zones.
    func isHere(_ value: FieldValue) -> Bool { !zones(named: value.zoneOfReference).isEmpty }
}
