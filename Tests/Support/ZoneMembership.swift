package import PostgresClient

/// The membership of a zone's records in shares, as the database stores it, compared with the membership that follows
/// from the parents.
///
/// The comparison reads the whole zone in one snapshot, so it can run while others write. A record belongs to the share
/// of which it is the root, or else to the share of its parent. Records in a cycle of parents belong to no share. A
/// record that is stored in an ended share belongs to no share.
package struct ZoneMembership: Sendable {
    /// Runs a statement in the database of the record service.
    package typealias Query =
        @Sendable (PostgresStatement, [PostgresParameter]) async throws -> PostgresResult

    /// The stored members of each live share of records, by the name of the share. A share record is a member of its
    /// share.
    package private(set) var members: [String: Set<String>] = [:]
    /// Whether the zone has no cascade and no move that a background job must complete. Otherwise, the stored membership
    /// may differ from the parents.
    package private(set) var isSettled = true
    /// The differences, sorted, each as a sentence; empty if there are none.
    package private(set) var problems: [String] = []

    /// Reads a zone. Takes one round trip, and memory for the names of all records of the zone.
    ///
    /// - Parameter row: the zone's row in `record.zone`.
    /// - Throws: the errors of `query`.
    package init(ofRow row: Int64, query: Query) async throws {
        self.init(ZoneRows(try await query(ZoneRows.statement, [.int8(row)])))
    }

    /// Reads the existing zone of a user's private database with a name. The membership is empty if there is no such
    /// zone. Takes two round trips.
    ///
    /// - Throws: the errors of `query`.
    package init(ofZone name: String, owner: String, query: Query) async throws {
        let row = try await query(
            """
            select z.id from record.zone z join record.database d on d.id = z.database
            where d.owner = $1 and z.name = $2 and d.scope = 2 and z.deleted_at is null
            """, [.text(owner), .text(name)])
        if let row = row.first {
            try await self.init(ofRow: row.int64(0), query: query)
        } else {
            self.init(ZoneRows())
        }
    }

    init(_ rows: ZoneRows) {
        isSettled = !rows.isPending
        let shares = Dictionary(uniqueKeysWithValues: rows.shares.map { ($0.id, $0) })
        let computed = Self.shares(of: rows)
        for record in rows.records.values {
            let stored = record.share.flatMap { shares[$0] }
            if let stored, stored.root != nil { members[stored.name, default: []].insert(record.name) }
            if stored?.id != computed[record.name] {
                let expected = computed[record.name].flatMap { shares[$0]?.name }
                problems.append(
                    "\(record.name) is stored in \(stored?.name ?? "no share"), but belongs to \(expected ?? "none")")
            }
            // A record that was hidden for some time has a higher number, with which it was delivered again.
            if stored != nil, record.shareSeq ?? 0 < max(record.since ?? .max, record.changeSeq) {
                problems.append(
                    """
                    \(record.name) changed at \(record.changeSeq) and entered at \(record.since ?? 0), but its place \
                    is \(record.shareSeq ?? 0)
                    """)
            }
            if record.lacksReference {
                problems.append("\(record.name) is not found by its parent \(record.parent ?? "")")
            }
        }
        for share in rows.shares {
            for name in [share.name] + (share.root.map { [$0] } ?? []) where rows.records[name] == nil {
                problems.append("share \(share.name) is live, but its record \(name) is not")
            }
        }
        let mode = rows.shares.contains { $0.root == nil } ? 2 : rows.shares.isEmpty ? 0 : 1
        if mode != rows.mode { problems.append("the zone's sharing is \(rows.mode), but should be \(mode)") }
        problems.sort()
    }

    /// Returns the live share to which each record belongs according to the parents.
    private static func shares(of rows: ZoneRows) -> [String: Int64] {
        var own: [String: Int64] = [:]
        for share in rows.shares {
            own[share.name] = share.id
            if let root = share.root { own[root] = share.id }
        }
        var shares: [String: Int64?] = own.mapValues { $0 }
        for name in rows.records.keys {
            var (path, above): ([String], String?) = ([], name)
            var visited: Set<String> = []
            while let next = above, shares[next] == nil, let record = rows.records[next], visited.insert(next).inserted
            {
                path.append(next)
                above = record.parent
            }
            let found = above.flatMap { shares[$0] } ?? nil
            for name in path { shares[name] = .some(found) }
        }
        return shares.compactMapValues { $0 }
    }
}

/// The rows of a zone that determine its membership.
struct ZoneRows {
    /// A live share.
    struct Share {
        let id: Int64
        let name: String
        let root: String?
    }

    /// A live record.
    struct Record {
        let name: String
        let parent: String?
        let share: Int64?
        let changeSeq: Int64
        let shareSeq: Int64?
        let since: Int64?
        /// Whether the parent has no row in `record.reference`.
        let lacksReference: Bool
    }

    var shares: [Share] = []
    var records: [String: Record] = [:]
    /// The column `record.zone.sharing`.
    var mode = 0
    /// Whether a background job must complete a cascade or a move.
    var isPending = false

    /// The zone itself (kind 0), its live shares (kind 1) and its live records (kind 2), in one snapshot.
    static let statement: PostgresStatement = """
        select 0, z.name, null as above, z.sharing::int8, null::int8, null::int8, null::int8,
            z.is_cascading or z.share_moves <> 0
        from record.zone z where z.id = $1 and z.deleted_at is null
        union all
        select 1, s.name, s.root, s.id, null, null, null, false
        from record.share s join record.zone z on z.id = s.zone
        where s.zone = $1 and s.ended_seq is null and z.deleted_at is null
        union all
        select 2, r.name, r.parent, r.share, r.change_seq, r.share_seq, r.share_since,
            r.parent is not null and not exists (
                select from record.reference t
                where t.environment = r.environment and t.zone = $1 and t.target = r.parent and t.action = 3
                    and t.source = r.name)
        from record.record r join record.zone z on z.id = r.zone
        where r.environment = (
                select d.environment from record.zone o join record.database d on d.id = o.database where o.id = $1)
            and r.zone = $1 and r.fields is not null and z.deleted_at is null
        """

    init() {}

    /// Decodes the rows of ``statement``.
    init(_ result: PostgresResult) {
        for row in result {
            switch row.int32(0) {
            case 0: (mode, isPending) = (Int(row.int64(3)), row.bool(7))
            case 1: shares.append(Share(id: row.int64(3), name: row.string(1), root: row.stringIfPresent(2)))
            default:
                let record = Record(
                    name: row.string(1), parent: row.stringIfPresent(2), share: row.int64IfPresent(3),
                    changeSeq: row.int64(4), shareSeq: row.int64IfPresent(5), since: row.int64IfPresent(6),
                    lacksReference: row.bool(7))
                records[record.name] = record
            }
        }
    }
}
