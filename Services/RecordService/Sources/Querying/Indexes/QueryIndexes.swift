internal import CloudKitModel
internal import PostgresClient
internal import RecordStorage
internal import Synchronization

/// Finds the indexes that queries could use, and requests missing ones in development.
///
/// In production, the deployed schema determines the indexes. In development, every field could have an index, but only
/// the indexes that a query could have used are built.
final class QueryIndexes: Sendable {
    /// The maximum number of remembered requests for indexes. When it is exceeded, all requests are forgotten.
    private static let maxRemembered = 10_000

    private struct Wish: Hashable {
        let environment: EnvironmentRow
        let version: Int64
        let key: FieldIndex.Key
    }

    /// Finds the large zones, in which inverted indexes are searched without a condition on the zone.
    let largeZones: LargeZones
    private let catalog = IndexCatalog()
    /// The pool for requesting indexes, and the pool for queries.
    private let (pool, queryPool): (PostgresPool, PostgresPool)
    private let wishes = Mutex<Set<Wish>>([])

    /// Creates a finder for the database to which both pools connect.
    init(pool: PostgresPool, reading queryPool: PostgresPool) {
        (self.pool, self.queryPool) = (pool, queryPool)
        largeZones = LargeZones(pool: queryPool)
    }

    /// Returns the indexes in `wanted` that are ready. Takes no round trip if all of them are known to be ready.
    ///
    /// - Parameter mayAsk: whether to request missing indexes.
    /// - Throws: `PostgresError`.
    func ready(_ wanted: [FieldIndex], in environment: EnvironmentRow, version: Int64, mayAsk: Bool) async throws
        -> Set<FieldIndex.Key>
    {
        guard !wanted.isEmpty else { return [] }
        let keys = Set(wanted.map(\.key))
        if catalog.knows(keys, in: environment, version: version) { return keys }
        let ready = try await QueryTimeout.naming {
            try await queryPool.withConnection {
                try await catalog.ready(keys, in: environment, version: version, on: $0)
            }
        }
        guard mayAsk else { return ready }
        let missing = wanted.filter { !ready.contains($0.key) }
        let new = wishes.withLock { wishes in
            if wishes.count > Self.maxRemembered { wishes.removeAll() }
            return missing.filter {
                wishes.insert(Wish(environment: environment, version: version, key: $0.key)).inserted
            }
        }
        guard !new.isEmpty else { return ready }
        do {
            try await IndexTable(environment).demand(new, on: pool)
        } catch let error as PostgresError where !error.isOfDeletedContainer {
            // Writers can hold the lock for a while. The query is answered anyway, and the next query requests the
            // index again.
            wishes.withLock { wishes in
                for index in new {
                    wishes.remove(Wish(environment: environment, version: version, key: index.key))
                }
            }
        }
        return ready
    }
}
