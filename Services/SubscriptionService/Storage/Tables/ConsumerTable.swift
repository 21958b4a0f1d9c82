internal import CloudKitModel
package import PostgresClient
package import ServiceMessages

/// The grants of zones to consumers.
package struct ConsumerTable: Sendable {
    private let pool: PostgresPool

    /// Creates a table that is accessed through `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    private static let columns = """
        c.name, c.broker_user, e.container, e.name, c.scope, c.owner, c.zones, c.granted_at
        """

    /// Saves a grant, which replaces the consumer's previous grant. Returns the time of the grant, in milliseconds
    /// since 1970. Takes one round trip.
    ///
    /// - Throws: `PostgresError`.
    package func save(_ grant: ConsumerGrant) async throws -> Int64 {
        let names: [PostgresParameter] = [.text(grant.container), .text(grant.environment.rawValue)]
        var zones = PostgresParameter.text(nil)
        if case .named(let names) = grant.zones { zones = .textArray(names) }
        let parameters: [PostgresParameter] =
            names + [
                .text(grant.consumer.rawValue), .text(grant.brokerUser), .int2(grant.scope.rawValue),
                .text(grant.owner), zones,
            ]
        return try await pool.withConnection { connection in
            let results = try await connection.pipeline([
                PostgresCall(
                    "insert into subscription.environment (container, name) values ($1, $2) on conflict do nothing",
                    names),
                PostgresCall(
                    """
                    insert into subscription.consumer (environment, name, broker_user, scope, owner, zones)
                    select e.id, $3, $4, $5, $6, $7::text[] from subscription.environment e
                    where e.container = $1 and e.name = $2
                    on conflict (name) do update set
                        environment = excluded.environment, broker_user = excluded.broker_user,
                        scope = excluded.scope, owner = excluded.owner, zones = excluded.zones, granted_at = now()
                    returning granted_at
                    """, parameters),
            ])
            guard let row = results[1].first else {
                throw EnvironmentTable.missing
            }
            return row.milliseconds(0)
        }
    }

    /// Removes a consumer's grant and returns whether there was one. Takes one round trip.
    ///
    /// - Throws: `PostgresError`.
    package func remove(_ consumer: ConsumerName) async throws -> Bool {
        try await pool.withConnection { connection in
            try await !connection.query(
                "delete from subscription.consumer where name = $1 returning name", [.text(consumer.rawValue)]
            ).isEmpty
        }
    }

    /// Reads up to `limit` grants in order of their consumers' names, starting after `name`. Takes one round trip.
    ///
    /// - Throws: `PostgresError` or `StoredValueError`.
    package func list(after name: String, limit: Int) async throws -> [GrantedConsumer] {
        try await pool.withConnection { connection in
            try await connection.query(
                PostgresStatement(
                    """
                    select \(Self.columns) from subscription.consumer c
                    join subscription.environment e on e.id = c.environment
                    where c.name > $1 order by c.name limit $2
                    """), [.text(name), .int8(Int64(limit))]
            ).map(Self.granted)
        }
    }

    /// Returns the grant of the consumer that uses the given broker user; nil if there is none. Takes one round trip.
    ///
    /// - Throws: `PostgresError` or `StoredValueError`.
    package func grant(ofBrokerUser user: String) async throws -> ConsumerGrant? {
        try await pool.withConnection { connection in
            try await connection.query(
                PostgresStatement(
                    """
                    select \(Self.columns) from subscription.consumer c
                    join subscription.environment e on e.id = c.environment where c.broker_user = $1
                    """), [.text(user)]
            ).first.map { try Self.granted($0).grant }
        }
    }

    private static func granted(_ row: PostgresRow) throws -> GrantedConsumer {
        GrantedConsumer(
            grant: ConsumerGrant(
                consumer: ConsumerName(unchecked: row.string(0)), brokerUser: row.string(1),
                container: row.string(2),
                environment: try EnvironmentName(stored: row.string(3), column: "subscription.environment.name"),
                scope: try DatabaseScope(stored: row.int16(4), column: "subscription.consumer.scope"),
                owner: row.string(5),
                zones: row.textArrayIfPresent(6).map { .named($0) } ?? .all),
            grantedAt: row.milliseconds(7))
    }
}
