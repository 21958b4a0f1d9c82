package import PostgresClient
internal import Synchronization

/// Remembers the indexes that queries can use. An index that is ready stays ready as long as the schema's version is
/// the same, so only indexes that were not ready are looked up again.
package final class IndexCatalog: Sendable {
    private struct Known {
        let version: Int64
        var ready: Set<FieldIndex.Key>
    }

    /// The maximum total number of remembered indexes in all environments.
    private static let maxIndexes = 200_000

    private let memory = Mutex(RecentCache<EnvironmentRow, Known>(maxCost: maxIndexes))

    /// Creates an empty catalog.
    package init() {}

    /// Returns whether all `keys` are known to be ready.
    package func knows(_ keys: Set<FieldIndex.Key>, in environment: EnvironmentRow, version: Int64) -> Bool {
        memory.withLock { $0.value(environment) }.map { $0.version == version && keys.isSubset(of: $0.ready) } ?? false
    }

    /// Returns the `keys` that are ready. Takes a round trip only if one of them is not known to be ready.
    ///
    /// - Parameter version: the version of the schema used to plan the query.
    /// - Throws: `PostgresError`.
    package func ready(
        _ keys: Set<FieldIndex.Key>, in environment: EnvironmentRow, version: Int64, on connection: PostgresConnection
    ) async throws -> Set<FieldIndex.Key> {
        let known = memory.withLock { $0.value(environment) }.flatMap { $0.version == version ? $0.ready : nil } ?? []
        guard !keys.isSubset(of: known) else { return keys }
        let rows = try await connection.pipeline([IndexTable.ready(environment)])[0]
        let found = Set(
            rows.compactMap { row in
                FieldIndex.Method(rawValue: row.string(2)).map {
                    FieldIndex.Key(recordType: RecordTypeID(row.int32(0)), field: row.string(1), method: $0)
                }
            })
        memory.withLock { memory in
            // A read that began before this one might finish after it.
            var known = Known(version: version, ready: found)
            if let former = memory.value(environment), former.version >= version {
                guard former.version == version else { return }
                known.ready.formUnion(former.ready)
            }
            memory.keep(known, for: environment, cost: known.ready.count + 1)
        }
        return keys.intersection(found)
    }
}
