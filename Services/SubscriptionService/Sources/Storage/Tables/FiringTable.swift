internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import ServiceMessages

/// Subscriptions that fire once, badges, and whom else a notification goes to: what is decided right before it is published.
struct FiringTable: Sendable {
    /// A user of an environment.
    struct User: Hashable, Sendable {
        let environment: Int32
        let name: String
    }

    /// A registered client of a user.
    struct Client: Sendable {
        /// Its queue's routing key.
        let key: String
        /// The client as it names itself when it changes records.
        let clientID: String?
    }

    let pool: PostgresPool

    /// Claims subscriptions that fire once, each for the first of its firings, and says by its id which change each is
    /// claimed for. One that was claimed already keeps its change, so that a repeat is told again and nothing else is;
    /// only where nobody was told and that change went into a merged one, it goes to that. One that is gone is not in the answer.
    ///
    /// - Throws: `PostgresError`. One round trip, which is a transaction.
    func claim(_ firings: [Firing]) async throws -> [UUID: (incarnation: UUID, seq: Int64)] {
        let ids = PostgresParameter.uuidArray(firings.map(\.subscription.id))
        // The rows are locked by a statement of their own: the snapshot of the update is then younger than the moments of
        // those that were saved again meanwhile, and does not take them for moments that lie ahead.
        let lock = PostgresCall(
            "select s.id from subscription.subscription s where s.id = any($1) order by s.id for no key update", [ids])
        let claim = PostgresCall(
            Self.claimStatement,
            [
                ids, .uuidArray(firings.map(\.change.incarnation)), .int8Array(firings.map(\.seq)),
                .boolArray(firings.map(\.change.event.isMerged)),
                .textArray(firings.map { "\($0.change.event.xid)" }),
            ])
        let rows = try await pool.withConnection { connection in
            try await connection.pipeline([.begin, lock, claim, .commit])[2]
        }
        return Dictionary(rows.map { ($0.uuid(0), ($0.uuid(1), $0.int64(2))) }, uniquingKeysWith: { first, _ in first })
    }

    /// Notes that the notification of each claim was confirmed.
    ///
    /// - Throws: `PostgresError`. One round trip.
    func noteTold(_ ids: [UUID]) async throws {
        _ = try await pool.withConnection { connection in
            try await connection.query(
                """
                with held as (select s.id from subscription.subscription s where s.id = any($1) and s.fired_seq is not null
                    order by s.id for no key update)
                update subscription.subscription s set told = true from held h where s.id = h.id
                """, [.uuidArray(ids)])
        }
    }

    /// How the notifications of subscriptions are shown. What cannot be read, as none should be, is not shown.
    ///
    /// - Throws: `PostgresError`. One round trip.
    func infos(of ids: Set<UUID>) async throws -> [UUID: NotificationInfo] {
        guard !ids.isEmpty else { return [:] }
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                select s.id, s.notification_info from subscription.subscription s
                where s.id = any($1) and s.notification_info is not null
                """, [.uuidArray(Array(ids))])
        }
        return rows.reduce(into: [:]) { infos, row in
            infos[row.uuid(0)] = try? NotificationInfo(JSONValue(parsing: row.jsonb(1)))
        }
    }

    /// Removes subscriptions that have fired their only time, once the cursor says that it was delivered; what the cursor
    /// never says (the zone is gone) after a week.
    ///
    /// - Throws: `PostgresError`. One round trip.
    func removeFired() async throws {
        _ = try await pool.withConnection { connection in
            try await connection.query(
                """
                delete from subscription.subscription where id in (
                    select s.id from subscription.subscription s
                    left join subscription.cursor c on c.incarnation = s.fired_incarnation
                    where s.fired_seq is not null
                        and (c.delivered >= s.fired_seq or s.fired_at < now() - interval '7 days')
                    order by s.id for update of s skip locked)
                """)
        }
    }

    /// Counts badges up by so many notifications each, and returns what they then are. At 2³¹ − 1 they stay.
    ///
    /// - Throws: `PostgresError`. One round trip.
    func countBadges(_ notifications: [User: Int]) async throws -> [User: Int] {
        guard !notifications.isEmpty else { return [:] }
        let users = Array(notifications.keys)
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                insert into subscription.badge as b (environment, user_name, count)
                select environment, user_name, count from unnest($1::int[], $2::text[], $3::int[])
                    as k(environment, user_name, count) order by 1, 2
                on conflict (environment, user_name) do update set
                    count = least(b.count::int8 + excluded.count, 2147483647)::int
                returning environment, user_name, count
                """,
                [
                    .int4Array(users.map(\.environment)), .textArray(users.map(\.name)),
                    .int4Array(users.map { Int32(clamping: notifications[$0] ?? 0) }),
                ])
        }
        return Dictionary(
            rows.map { (User(environment: $0.int32(0), name: $0.string(1)), Int($0.int32(2))) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Sets a user's badge.
    static func setBadge(_ count: Int32, of user: User) -> PostgresCall {
        PostgresCall(
            """
            insert into subscription.badge (environment, user_name, count) values ($1, $2, $3)
            on conflict (environment, user_name) do update set count = excluded.count
            """, [.int4(user.environment), .text(user.name), .int4(count)])
    }

    /// The registered clients of users.
    ///
    /// - Throws: `PostgresError`. One round trip.
    func clients(of users: Set<User>) async throws -> [User: [Client]] {
        guard !users.isEmpty else { return [:] }
        let users = Array(users)
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                select k.environment, k.user_name, c.name, c.client_id
                from unnest($1::int[], $2::text[]) as k(environment, user_name)
                cross join lateral (select c.name, c.client_id from subscription.client c
                    where c.environment = k.environment and c.user_name = k.user_name and c.expires_at > now()
                    offset 0) c
                """, [.int4Array(users.map(\.environment)), .textArray(users.map(\.name))])
        }
        return rows.reduce(into: [:]) { clients, row in
            clients[User(environment: row.int32(0), name: row.string(1)), default: []].append(
                Client(key: Queue.client(row.string(2)), clientID: row.stringIfPresent(3)))
        }
    }

    private static let claimStatement = PostgresStatement(
        """
        with firing as (
            select distinct on (id) id, incarnation, seq, merged, xid::xid8 as xid
            from unnest($1::uuid[], $2::uuid[], $3::int8[], $4::bool[], $5::text[])
                with ordinality as k(id, incarnation, seq, merged, xid, position)
            order by id, position
        )
        update subscription.subscription s set
            fired_incarnation = coalesce(s.fired_incarnation, k.incarnation),
            fired_at = coalesce(s.fired_at, now()),
            fired_seq = case when s.fired_seq is null
                or (not s.told and k.merged and s.fired_incarnation = k.incarnation and s.fired_seq < k.seq)
                then k.seq else s.fired_seq end
        from firing k where s.id = k.id
            -- Not one that was saved again meanwhile.
            and s.snapshot is not null
            and (not pg_visible_in_snapshot(k.xid, s.snapshot) or \(MomentTable.lies(ahead: "s.snapshot")))
        returning s.id, s.fired_incarnation, s.fired_seq
        """)
}
