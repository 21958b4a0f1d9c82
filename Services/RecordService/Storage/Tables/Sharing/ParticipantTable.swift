internal import CloudKitModel
internal import Foundation
internal import PostgresClient

/// The SQL statements that write the participants and the requesters of shares.
struct ParticipantTable: Sendable {
    let environment: EnvironmentRow

    init(_ environment: EnvironmentRow) { self.environment = environment }

    /// Writes the participants and the requesters of changed shares. The dropped participants are deleted before the
    /// one-time links are written, because a link moves to another row if a former participant uses it.
    func write(_ changes: [ShareTable.Change]) -> [PostgresCall] {
        func rows<Value>(_ values: (ShareTable.Change) -> [Value]) -> [Row<Value>] {
            changes.flatMap { change in
                values(change).map { Row(zone: change.zone, share: change.share.id, value: $0) }
            }
        }
        let participants = rows(\.participants)
        let dropped = rows { $0.dropped.sorted() }
        let requesters = rows(\.requesters)
        let answered = rows { $0.answered.sorted() }
        return [write(participants)] + (dropped.isEmpty ? [] : [drop(dropped)]) + link(participants)
            + (requesters.isEmpty ? [] : [write(requesters)]) + (answered.isEmpty ? [] : [drop(answered)])
    }

    /// A row of a share, or the key of one.
    private struct Row<Value> {
        let zone: ZoneRow
        let share: ShareID
        let value: Value
    }

    private func write(_ rows: [Row<StoredParticipant>]) -> PostgresCall {
        PostgresCall(
            """
            insert into record.participant as p
                (environment, zone, share, id, user_name, email, role, permission, status, since_seq, until_seq,
                lost_seq, uuid, lost_at)
            select $1, zone, share, id, user_name, email, role, permission, status, since_seq, until_seq, lost_seq,
                uuid::uuid, case when status in (3, 4) then now() end
            from unnest($2::int8[], $3::int8[], $4::int4[], $5::text[], $6::text[], $7::int2[], $8::int2[], $9::int2[],
                $10::int8[], $11::int8[], $12::int8[], $13::text[])
                as w(zone, share, id, user_name, email, role, permission, status, since_seq, until_seq, lost_seq, uuid)
            on conflict (zone, share, id) do update set user_name = excluded.user_name, email = excluded.email,
                role = excluded.role, permission = excluded.permission, status = excluded.status,
                since_seq = excluded.since_seq, until_seq = excluded.until_seq, lost_seq = excluded.lost_seq,
                uuid = excluded.uuid, lost_at = excluded.lost_at,
                changed_xid = case when (p.status = 2 and p.permission <> 1)
                    or (excluded.status = 2 and excluded.permission <> 1)
                    then pg_current_xact_id() else p.changed_xid end
            """,
            [
                .int4(environment.rawValue), .int8Array(rows.map(\.zone.rawValue)),
                .int8Array(rows.map(\.share.rawValue)), .int4Array(rows.map(\.value.id)),
                .textArray(rows.map(\.value.user)), .textArray(rows.map(\.value.email)),
                .int2Array(rows.map(\.value.role.rawValue)), .int2Array(rows.map(\.value.permission.rawValue)),
                .int2Array(rows.map(\.value.status.rawValue)), .int8Array(rows.map(\.value.since)),
                .int8Array(rows.map(\.value.until)), .int8Array(rows.map(\.value.lost)),
                .textArray(rows.map(\.value.uuid?.uuidString)),
            ])
    }

    /// Writes the one-time links of `rows`. A link that has been used is kept only as a digest.
    private func link(_ rows: [Row<StoredParticipant>]) -> [PostgresCall] {
        let rows = rows.filter { $0.value.link != nil && $0.value.status.isListed }
        guard !rows.isEmpty else { return [] }
        return [
            PostgresCall(
                """
                insert into record.one_time_link (environment, zone, share, participant, link, digest)
                select $1, zone, share, participant, case when not is_used then link end,
                    sha256(convert_to(link, 'UTF8'))
                from unnest($2::int8[], $3::int8[], $4::int4[], $5::text[], $6::bool[])
                    as w(zone, share, participant, link, is_used)
                on conflict (zone, share, participant) do update set link = excluded.link, digest = excluded.digest
                """,
                [
                    .int4(environment.rawValue), .int8Array(rows.map(\.zone.rawValue)),
                    .int8Array(rows.map(\.share.rawValue)), .int4Array(rows.map(\.value.id)),
                    .textArray(rows.map(\.value.link)), .boolArray(rows.map { !$0.value.usesOneTimeLink }),
                ])
        ]
    }

    private func drop(_ rows: [Row<Int32>]) -> PostgresCall {
        PostgresCall(
            """
            delete from record.participant p using unnest($1::int8[], $2::int8[], $3::int4[]) as k(zone, share, id)
            where p.zone = k.zone and p.share = k.share and p.id = k.id
            """,
            [
                .int8Array(rows.map(\.zone.rawValue)), .int8Array(rows.map(\.share.rawValue)),
                .int4Array(rows.map(\.value)),
            ])
    }

    private func write(_ rows: [Row<AccessRequests.Requester>]) -> PostgresCall {
        PostgresCall(
            """
            insert into record.requester (environment, zone, share, user_name, email, is_blocked)
            select $1, * from unnest($2::int8[], $3::int8[], $4::text[], $5::text[], $6::bool[])
            on conflict (zone, share, user_name) do update set email = excluded.email, is_blocked = excluded.is_blocked
            """,
            [
                .int4(environment.rawValue), .int8Array(rows.map(\.zone.rawValue)),
                .int8Array(rows.map(\.share.rawValue)), .textArray(rows.map(\.value.user)),
                .textArray(rows.map(\.value.email)), .boolArray(rows.map(\.value.isBlocked)),
            ])
    }

    private func drop(_ rows: [Row<String>]) -> PostgresCall {
        PostgresCall(
            """
            delete from record.requester q using unnest($1::int8[], $2::int8[], $3::text[]) as k(zone, share, user_name)
            where q.zone = k.zone and q.share = k.share and q.user_name = k.user_name
            """,
            [
                .int8Array(rows.map(\.zone.rawValue)), .int8Array(rows.map(\.share.rawValue)),
                .textArray(rows.map(\.value)),
            ])
    }
}
