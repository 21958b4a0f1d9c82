package import CloudKitModel
package import Foundation
package import PostgresClient
package import ServiceMessages

/// The subscriptions that might match a change. They are read through indexes for every batch of changes, so there is
/// no cache to invalidate.
///
/// **Why a subscription fires for every change after the moment at which it was saved, and for no other change.** A
/// subscription is saved in two transactions. The first transaction commits the row without a snapshot; the
/// subscription is then *pending*. The second transaction sets the snapshot to `pg_current_snapshot()`. The save is
/// answered only after that. Let X be a change and S the snapshot.
///
/// - If X is visible in S, X was committed before S was taken, and therefore before the answer. The subscription does
///   not fire.
/// - If X is not visible in S, X was committed after S was taken, and therefore after the row was committed. X is
///   matched after its own commit, so the matcher finds the row. (With a single transaction, X could be committed and
///   matched after S is taken but before the commit makes the row visible.)
/// - If the row is still pending, the matcher sets the snapshot itself, in the same way, before it continues. If the
///   matcher is first, X is visible in its snapshot, which is correct because the save has not been answered; the saver
///   then finds the row complete. If the saver is first but has not committed yet, the matcher waits for the row's
///   lock, finds the row complete and reads the saver's S, in which X might not be visible. In both cases, only one of
///   the two sets the snapshot, and both use it.
/// - A row that was not visible when the matcher first read the subscriptions, before it set any snapshots, is newer
///   than X, and its subscription must not fire.
///
/// A query subscription is saved only after the record service has confirmed that it logs changes to records of the
/// subscription's type together with the records' values. A change that is not visible in S is therefore logged with
/// values.
package struct MatchingTable: Sendable {
    /// The records for which query subscriptions are looked up: the records of one type in one database.
    package struct QueryPlace: Hashable, Sendable {
        /// The container.
        package let container: String
        /// The environment.
        package let environment: EnvironmentName
        /// The database's owner: a user, or `ZoneAddress.publicOwner`.
        package let owner: String
        /// The record type.
        package let recordType: String

        /// Creates the place of the records of `recordType` in the database of `zone`.
        package init(_ zone: ZoneAddress, recordType: String) {
            (container, environment, owner) = (zone.container, zone.environment, zone.owner)
            self.recordType = recordType
        }
    }

    /// A user whose shared database is watched.
    package struct SharedDatabase: Hashable, Sendable {
        /// The container.
        package let container: String
        /// The environment.
        package let environment: EnvironmentName
        /// The user.
        package let user: String

        /// Creates the value for the shared database of `user` that contains `zone`, a zone of another user.
        package init(of user: String, with zone: ZoneAddress) {
            (container, environment, self.user) = (zone.container, zone.environment, user)
        }
    }

    /// The key of a look-up of query subscriptions.
    package struct QueryProbe: Hashable, Sendable {
        /// The records to which the subscriptions apply.
        package let place: QueryPlace
        /// The equality that the predicates of these subscriptions require.
        package let term: EqualityTerm

        /// Creates a probe.
        package init(place: QueryPlace, term: EqualityTerm) { (self.place, self.term) = (place, term) }
    }

    /// A page of the query subscriptions that a probe finds.
    package struct QueryPage: Sendable {
        /// The subscriptions in order of their ids.
        package var subscriptions: [StoredSubscription] = []
        /// Whether this is the last page.
        package var isLast = true
        /// Whether the page is shorter than ``pageSize`` because the predicates exceed the size limit.
        package var isCut = false

        /// Creates an empty last page.
        package init() {}
    }

    /// The maximum number of subscriptions in a page.
    package static let pageSize = 200
    /// The maximum size, in bytes, of the predicates that one call reads. A predicate can be up to 16 KiB long. If all
    /// probes together exceed this size, the pages of the databases with the most bytes are cut.
    package static let maxPredicateBytes = 8 << 20

    private let pool: PostgresPool

    /// Creates a table that is accessed through `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Returns the zone and database subscriptions that apply to each of `zones`. Takes one round trip, or three while
    /// such a subscription is being saved.
    ///
    /// - Throws: `PostgresError`.
    package func subscriptions(of zones: [ZoneAddress]) async throws -> [ZoneAddress: [StoredSubscription]] {
        guard !zones.isEmpty else { return [:] }
        let rows = try await complete(
            PostgresCall(
                Self.zoneStatement,
                [
                    .textArray(zones.map(\.container)), .textArray(zones.map(\.environment.rawValue)),
                    .textArray(zones.map(\.owner)), .textArray(zones.map(\.zone.rawValue)),
                ]))
        return Self.subscriptions(rows, of: zones)
    }

    /// The maximum number of users whose subscriptions are read at a time.
    private static let maxUsers = 2000
    /// The maximum number of a user's subscriptions in a page.
    package static let sharedPageSize = 20

    /// Returns the database subscriptions of users in their shared databases: of each user, the page of up to
    /// ``sharedPageSize`` subscriptions that follows the name `id`, in order of their names. Takes one round trip for
    /// every 2,000 users, or three while such a subscription is being saved.
    ///
    /// - Throws: `PostgresError`.
    package func subscriptions(
        of databases: [SharedDatabase], after id: String = ""
    ) async throws -> [SharedDatabase: [StoredSubscription]] {
        var found: [SharedDatabase: [StoredSubscription]] = [:]
        for start in stride(from: 0, to: databases.count, by: Self.maxUsers) {
            let part = Array(databases[start..<min(start + Self.maxUsers, databases.count)])
            let rows = try await complete(
                PostgresCall(
                    Self.sharedStatement,
                    [
                        .textArray(part.map(\.container)), .textArray(part.map(\.environment.rawValue)),
                        .textArray(part.map(\.user)), .text(id), .int8(Int64(Self.sharedPageSize)),
                    ]))
            found.merge(Self.subscriptions(rows, of: part)) { first, _ in first }
        }
        return found
    }

    /// Returns the keys of the equalities that the query subscriptions of each place require, including the key of
    /// ``EqualityTerm/none``. Takes one round trip, whose cost depends on the number of different keys.
    ///
    /// - Throws: `PostgresError`.
    package func keys(of places: [QueryPlace]) async throws -> [QueryPlace: Set<Int64>] {
        guard !places.isEmpty else { return [:] }
        let rows = try await pool.withConnection { connection in
            try await connection.query(Self.keyStatement, Self.parameters(places))
        }
        return rows.reduce(into: [:]) { keys, row in
            keys[places[Int(row.int64(0)) - 1], default: []].insert(row.int64(1))
        }
    }

    /// Returns, for each of `probes`, the page of query subscriptions that follows the subscription `id`. Takes one
    /// round trip, or three while such a subscription is being saved.
    ///
    /// - Throws: `PostgresError`.
    package func querySubscriptions(
        of probes: [QueryProbe], after id: UUID? = nil, maxBytes: Int = maxPredicateBytes
    ) async throws -> [QueryProbe: QueryPage] {
        guard !probes.isEmpty else { return [:] }
        let rows = try await complete(
            PostgresCall(
                Self.queryStatement,
                Self.parameters(probes.map(\.place)) + [
                    .int8Array(probes.map(\.term.key)), .int8Array(probes.map(\.term.term)),
                    .uuid(id ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
                    .int8(Int64(Self.pageSize)), .int8(Int64(maxBytes)),
                ]))
        return Self.pages(rows, of: probes)
    }

    /// Runs a statement that reads subscriptions. If some of the subscriptions are pending, the method sets their
    /// snapshots and runs the statement again.
    private func complete(_ call: PostgresCall) async throws -> PostgresResult {
        try await pool.withConnection { connection in
            let found = try await connection.pipeline([call])[0]
            let pending = found.filter { $0.isNull(Self.snapshotColumn) }
            guard !pending.isEmpty else { return found }
            // Every instance locks rows in the same order, so that instances cannot deadlock.
            _ = try await connection.query(
                """
                with pending as (select s.id from subscription.subscription s where s.id = any($1) and s.snapshot is null
                    order by s.id for no key update)
                update subscription.subscription s set snapshot = pg_current_snapshot()
                from pending p where s.id = p.id and s.snapshot is null
                """, [.uuidArray(pending.map { $0.uuid(1) })])
            return try await connection.pipeline([call])[0]
        }
    }
}
