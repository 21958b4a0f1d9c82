package import CloudKitModel
package import PostgresClient

/// The statements with which an operator finds out why a user can or cannot see a record.
package struct ShareExplanationTable: Sendable {
    private let environment: EnvironmentRow

    /// Creates the statements for an environment.
    package init(_ environment: EnvironmentRow) { self.environment = environment }

    /// A zone.
    package struct Zone: Sendable {
        /// The row of the zone.
        package let row: ZoneRow
        /// The moves that a background job completes in the zone.
        package let moves: ShareMoves
    }

    /// Finds the live zone of an owner; ``zone(_:)`` decodes it.
    package func zone(_ name: ZoneName, of owner: String) -> PostgresCall {
        PostgresCall(
            """
            select z.id, z.share_moves from record.zone z join record.database d on d.id = z.database
            where d.environment = $1 and d.scope = 2 and d.owner = $2 and z.name = $3 and z.deleted_at is null
            """, [.int4(environment.rawValue), .text(owner), .text(name.rawValue)])
    }

    /// The zone that ``zone(_:of:)`` found; nil if there is none.
    package static func zone(_ result: PostgresResult) -> Zone? {
        result.first.map { Zone(row: ZoneRow($0.int64(0)), moves: ShareMoves(rawValue: $0.int16(1)) ?? .none) }
    }

    /// An element of a chain of parents: a record, or a name for which no record exists.
    package struct Link: Sendable, Hashable {
        /// The name.
        package let name: RecordName
        /// The type; nil if the record has no row.
        package let type: String?
        /// Whether the record exists. If not, but the type is known, the record was deleted.
        package let isLive: Bool
        /// The parent; nil if the record has no parent.
        package let parent: RecordName?
        /// The live share that the record belongs to, according to its row.
        package let member: ShareID?
        /// The live share that has this record as its root or as its own record.
        package let share: ShareID?
        /// Whether the record is the root of ``share``.
        package let isRoot: Bool
    }

    /// Reads a record, its parent, and so on, up to `limit` elements; ``chain(_:)`` decodes the result. A cycle of
    /// parents repeats until the limit is reached.
    package func chain(from name: RecordName, in zone: ZoneRow, limit: Int) -> PostgresCall {
        let row = { (columns: String) in
            """
            select \(columns) from \(environment.recordTable) r
            where r.environment = $1 and r.zone = $2 and r.name = u.name
            """
        }
        return PostgresCall(
            PostgresStatement(
                """
                with recursive up(name, step) as (
                    select k.name collate "C", 1 from (values ($3::text)) as k(name)
                    union all
                    select r.parent, u.step + 1 from up u
                    cross join lateral (\(row("r.parent")) and r.fields is not null offset 0) r
                    where u.step < $4 and r.parent is not null)
                select u.name, t.name, coalesce(r.live, false), r.parent, m.id, s.id, s.root is not null
                from up u
                left join lateral (\(row("r.record_type, r.fields is not null as live, r.parent, r.share"))
                    offset 0) r on true
                left join record.record_type t on t.id = r.record_type
                left join record.share m on m.zone = $2 and m.id = r.share and m.ended_seq is null
                left join lateral (
                    select s.id, s.root from record.share s
                    where s.zone = $2 and s.root = u.name and s.ended_seq is null
                    union all
                    select s.id, null from record.share s
                    where s.zone = $2 and s.name = u.name and s.ended_seq is null
                    limit 1) s on true
                order by u.step
                """),
            [.int4(environment.rawValue), .int8(zone.rawValue), .text(name.rawValue), .int8(Int64(limit))])
    }

    /// The elements that ``chain(from:in:limit:)`` found.
    package static func chain(_ result: PostgresResult) -> [Link] {
        result.map { row in
            Link(
                name: row.recordName(0), type: row.isNull(1) ? nil : row.string(1), isLive: row.bool(2),
                parent: row.recordNameIfPresent(3), member: row.int64IfPresent(4).map(ShareID.init),
                share: row.int64IfPresent(5).map(ShareID.init), isRoot: row.bool(6))
        }
    }

    /// A live share, along with a user's rows in it.
    package struct Share: Sendable, Hashable {
        /// The number of the share.
        package let id: ShareID
        /// The name of the share.
        package let name: RecordName
        /// The name of the root; nil for the zone-wide share.
        package let root: RecordName?
        /// The permission of everyone who has the link.
        package let publicPermission: SharePermission
        /// The number of pending invitations to email addresses.
        package let openInvitations: Int
        /// The user's row among the participants; nil if there is none.
        package let participant: StoredParticipant?
        /// Whether users may request access, and the user's row among the requesters, if there is one.
        package let requests: AccessRequests
    }

    /// Reads those live shares in a zone that have one of the given `ids`, as well as the zone-wide share;
    /// ``shares(_:for:)`` decodes the result.
    ///
    /// - Parameter user: the user whose rows are read.
    package func shares(_ ids: [ShareID], in zone: ZoneRow, for user: String) -> PostgresCall {
        PostgresCall(
            """
            select s.id, s.name, s.root, s.public_permission,
                (select count(*) from record.participant o
                    where o.zone = s.zone and o.share = s.id and o.status = 1 and o.user_name is null
                        and o.email is not null),
                p.id, p.role, p.permission, p.status, p.uuid, s.allows_requests, q.is_blocked
            from record.share s
            left join record.requester q on q.zone = s.zone and q.share = s.id and q.user_name = $3
            left join record.participant p on p.zone = s.zone and p.share = s.id and p.user_name = $3
            where s.zone = $1 and s.ended_seq is null and (s.id = any($2) or s.root is null)
            """, [.int8(zone.rawValue), .int8Array(ids.map(\.rawValue)), .text(user)])
    }

    /// The shares that ``shares(_:in:for:)`` found.
    package static func shares(_ result: PostgresResult, for user: String) -> [Share] {
        result.map { row in
            var participant: StoredParticipant?
            if let id = row.int32IfPresent(5), let role = ParticipantRole(rawValue: row.int16(6)),
                let status = AcceptanceStatus(rawValue: row.int16(8))
            {
                participant = StoredParticipant(
                    id: id, uuid: row.uuidIfPresent(9), user: user, email: nil, role: role,
                    permission: SharePermission(rawValue: row.int16(7)) ?? .none, status: status)
            }
            return Share(
                id: ShareID(row.int64(0)), name: row.recordName(1), root: row.recordNameIfPresent(2),
                publicPermission: SharePermission(rawValue: row.int16(3)) ?? .none,
                openInvitations: Int(row.int64(4)), participant: participant,
                requests: AccessRequests(
                    areAllowed: row.bool(10),
                    requesters: row.isNull(11) ? [] : [.init(user: user, email: nil, isBlocked: row.bool(11))]))
        }
    }
}
