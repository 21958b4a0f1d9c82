internal import PostgresClient
internal import RecordStorage
internal import ServiceMessages

/// Finds the zones of writes.
struct WriteResolver: Sendable {
    let pool: PostgresPool
    let directory: ZoneDirectory

    /// Finds the zones of writes in one container.
    ///
    /// A write in the shared database gets its zone only if its user has access to the zone. Otherwise, anyone could
    /// occupy the lane and the lock of another user's zone, and the time of the answer would show whether the zone
    /// exists. Access is read again under the lock of the zone (``WriteBatch``).
    ///
    /// - Returns: the writes with their zones; nil for a zone that does not exist or that the user may not see.
    /// - Throws: the same errors as ``ZoneDirectory/resolve(_:in:)``.
    func resolve(_ writes: [UnresolvedWrite], in container: String) async throws -> [WriteRequest?] {
        let zones = try await directory.resolve(
            writes.map { ZoneDirectory.Wanted(context: $0.context, zone: $0.zone) }, in: container)
        let requests = zip(writes, zones).map { write, zone in zone.map { write.resolved(in: $0) } }
        let admitted = try await admitted(requests.compactMap { $0 })
        return requests.map { request in
            guard let writer = request?.writer else { return request }
            return admitted.contains(writer) ? request : nil
        }
    }

    /// Returns the participants among the users of `requests` who have access. Takes no round trip if no request is in
    /// the shared database.
    private func admitted(_ requests: [WriteRequest]) async throws -> Set<ShareAccessTable.Writer> {
        var writers: [EnvironmentRow: Set<ShareAccessTable.Writer>] = [:]
        for request in requests {
            guard let writer = request.writer else { continue }
            writers[request.zone.database.environment, default: []].insert(writer)
        }
        guard !writers.isEmpty else { return [] }
        let statements = writers.map { ShareAccessTable.read(of: Array($1), in: $0) }
        let results = try await pool.withConnection { try await $0.pipeline(statements) }
        return results.reduce(into: []) { $0.formUnion(ShareAccessTable.accesses($1).keys) }
    }
}
