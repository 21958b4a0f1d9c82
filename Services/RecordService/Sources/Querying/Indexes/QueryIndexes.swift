internal import CloudKitModel
internal import PostgresClient
internal import RecordStorage
internal import Synchronization

/// The indexes that queries want: which are there, and, in development, asking for those that are not.
///
/// (In production the deployed schema says which indexes there are; in development every field could have one, and those
/// are made that somebody has wanted.)
final class QueryIndexes: Sendable {
    /// Past this many remembered wishes all are forgotten.
    private static let maxRemembered = 10_000

    private struct Wish: Hashable {
        let environment: EnvironmentRow
        let version: Int64
        let key: FieldIndex.Key
    }

    /// Zones in which inverted indexes are asked without the zone.
    let largeZones: LargeZones
    private let catalog = IndexCatalog()
    /// Where indexes are asked for, and where queries look.
    private let (pool, queryPool): (PostgresPool, PostgresPool)
    private let wishes = Mutex<Set<Wish>>([])

    /// The indexes of the database of both pools.
    init(pool: PostgresPool, reading queryPool: PostgresPool) {
        (self.pool, self.queryPool) = (pool, queryPool)
        largeZones = LargeZones(pool: queryPool)
    }

    /// Those of `wanted` that are there. No round trip when all were there before.
    ///
    /// - Parameter mayAsk: whether the others are asked for.
    /// - Throws: `PostgresError`.
    func ready(_ wanted: [FieldIndex], in environment: EnvironmentRow, version: Int64, mayAsk: Bool) async throws
        -> Set<FieldIndex.Key>
    {
        guard !wanted.isEmpty else { return [] }
        let keys = Set(wanted.map(\.key))
        if catalog.knows(keys, in: environment, version: version) { return keys }
        let ready = try await QueryTrouble.naming {
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
            // The query is answered all the same, and the next one asks again: writers may be in the way for a while.
            wishes.withLock { wishes in
                for index in new {
                    wishes.remove(Wish(environment: environment, version: version, key: index.key))
                }
            }
        }
        return ready
    }
}
