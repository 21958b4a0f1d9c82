internal import CloudKitWire
package import Foundation
package import PostgresClient
internal import ServiceMessages

/// The data that a user's notifications need in addition to the change: how they are shown, the user's badge, and the
/// registered clients that receive them.
package struct RecipientTable: Sendable {
    /// A user in an environment.
    package struct User: Hashable, Sendable {
        /// The environment's id.
        package let environment: Int32
        /// The user's record name.
        package let name: String

        /// Creates a user.
        package init(environment: Int32, name: String) { (self.environment, self.name) = (environment, name) }
    }

    /// A registered client of a user.
    package struct Client: Sendable {
        /// The name of the client's queue, and also its routing key.
        package let key: String
        /// The name with which the client identifies itself when it changes records; nil if it has none.
        package let clientID: String?
    }

    private let pool: PostgresPool

    /// Creates a table that is accessed through `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Returns how the notifications of subscriptions are shown, keyed by subscription id. Notification info that
    /// cannot be parsed is left out. Takes one round trip.
    ///
    /// - Throws: `PostgresError`.
    package func infos(of ids: Set<UUID>) async throws -> [UUID: NotificationInfo] {
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

    /// Increases each user's badge by a number of notifications. A badge does not exceed 2³¹ − 1. Takes one round trip.
    ///
    /// - Returns: the increased badges.
    /// - Throws: `PostgresError`.
    package func countBadges(_ notifications: [User: Int]) async throws -> [User: Int] {
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

    /// Sets a user's badge. Takes one round trip.
    ///
    /// - Throws: `PostgresError`.
    package func setBadge(_ count: Int32, of user: User) async throws {
        _ = try await pool.withConnection { connection in
            try await connection.query(
                """
                insert into subscription.badge (environment, user_name, count) values ($1, $2, $3)
                on conflict (environment, user_name) do update set count = excluded.count
                """, [.int4(user.environment), .text(user.name), .int4(count)])
        }
    }

    /// Returns the registered clients of users. Takes one round trip.
    ///
    /// - Throws: `PostgresError`.
    package func clients(of users: Set<User>) async throws -> [User: [Client]] {
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
}
