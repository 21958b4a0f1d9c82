package import CloudKitModel
package import PostgresClient

/// The `request` table in a service's schema. It is used to recognize repeated writes, and is partitioned by time.
package struct RequestTable: Sendable {
    private let table: String

    /// Creates a description of the table in `schema`.
    package init(schema: String) { table = "\(schema).request" }

    /// The identity of a request.
    package struct Key: Sendable, Hashable {
        /// The environment; 0 for an operator's request.
        package var environment: Int32
        /// The acting user.
        package var user: String
        /// The message id that the producer chose.
        package var messageID: MessageID

        /// Creates a key from its parts.
        package init(environment: Int32, user: String, messageID: MessageID) {
            self.environment = environment
            self.user = user
            self.messageID = messageID
        }
    }

    /// The stored outcome of a request.
    package struct Row: Sendable {
        /// The identity of the request.
        package var key: Key
        /// The request's ``OpenedRequest/identity``, a SHA-256.
        package var bodyHash: [UInt8]
        /// The outcome, in the service's encoding.
        package var outcome: [UInt8]

        /// Creates a row from its parts.
        package init(key: Key, bodyHash: [UInt8], outcome: [UInt8]) {
            self.key = key
            self.bodyHash = bodyHash
            self.outcome = outcome
        }
    }

    /// Returns the statement that reads the rows of `keys` from every partition. (`offset 0` prevents the planner from
    /// reversing the join.)
    package func read(_ keys: [Key]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select r.environment, r.user_name, r.message_id, r.body_hash, r.outcome
                from unnest($1::int4[], $2::text[], $3::text[]) as k(environment, user_name, message_id)
                cross join lateral (select * from \(table) r
                    where r.message_id = k.message_id and r.user_name = k.user_name and r.environment = k.environment
                    offset 0) r
                """),
            [
                .int4Array(keys.map(\.environment)), .textArray(keys.map(\.user)),
                .textArray(keys.map(\.messageID.rawValue)),
            ])
    }

    /// Decodes the result of ``read(_:)``.
    package static func rows(_ result: PostgresResult) -> [Key: Row] {
        var rows: [Key: Row] = [:]
        for row in result {
            let key = Key(
                environment: row.int32(0), user: row.string(1), messageID: MessageID(unchecked: row.string(2)))
            rows[key] = Row(key: key, bodyHash: row.bytes(3), outcome: row.bytes(4))
        }
        return rows
    }

    /// Returns the statement that locks the message ids of `keys` until the transaction ends, so that the next request
    /// with the same id reads the row that this transaction inserts. The locks are taken in a fixed order, so that
    /// transactions cannot deadlock. Each lock occupies an entry in the server's lock table.
    package func lock(_ keys: [Key]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select pg_advisory_xact_lock(k.hash)
                from (select distinct hashtextextended('\(table) ' || t.message_id, t.environment) as hash
                    from unnest($1::text[], $2::int8[]) as t(message_id, environment) order by 1) k
                """),
            [.textArray(keys.map(\.messageID.rawValue)), .int8Array(keys.map { Int64($0.environment) })])
    }

    /// Returns the statement that inserts `rows`.
    package func insert(_ rows: [Row]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                insert into \(table) (at, environment, user_name, message_id, body_hash, outcome)
                select now(), * from unnest($1::int4[], $2::text[], $3::text[], $4::bytea[], $5::bytea[])
                """),
            [
                .int4Array(rows.map(\.key.environment)), .textArray(rows.map(\.key.user)),
                .textArray(rows.map(\.key.messageID.rawValue)),
                .byteaArray(rows.map(\.bodyHash)), .byteaArray(rows.map(\.outcome)),
            ])
    }
}
