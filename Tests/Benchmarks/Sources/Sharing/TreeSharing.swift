internal import AMQPClient
internal import PostgresClient
internal import RecordStorage
internal import ServiceMessages

/// The time to create a share of a large tree, and the time of a bare `update` that sets the same columns of as many
/// rows of the same table.
struct TreeSharing: Sendable {
    /// The number of records directly below each record of the tree.
    private static let width = 10

    /// The number of records in a tree, including its root.
    let recordCount: Int
    /// The size of the operation that creates a record, in bytes.
    let sizeBytes: Int
    /// The number of trees that are shared, and of trees that are updated.
    let repeatCount: Int

    /// Fills zones with trees, and shares and updates the trees in turn.
    ///
    /// - Throws: ``LimitFailure`` if the service refuses a request or the update changes another number of rows;
    ///   `AMQPError`; `PostgresError`.
    func run() async throws -> (shared: Latencies, bare: Latencies) {
        let producer = Producers(configuration: try LimitEnvironment.broker(), count: 1, inFlight: 1)
        let zones = (0..<repeatCount).map { (shared: tree("shared-\($0)"), bare: tree("bare-\($0)")) }
        return try await LimitEnvironment.withServicePool(connections: 1) { pool in
            try await producer.run { client, _ in
                for zone in zones.flatMap({ [$0.shared, $0.bare] }) {
                    try await SharedZone(name: zone.name).create(over: client)
                    try await zone.fill(inOrder: true)
                }
                var rows: [ZoneEntry] = []
                for zone in zones { rows.append(try await zone.bare.row(over: pool)) }
                let table = rows[0].database.environment.recordTable
                try await pool.withConnection { try await $0.execute(script: "vacuum (analyze) \(table)") }
                var times: (shared: [Duration], bare: [Duration]) = ([], [])
                for (zone, row) in zip(zones, rows) {
                    times.shared.append(try await share(SharedZone(name: zone.shared.name), over: client))
                    times.bare.append(try await update(row, over: pool))
                }
                return (Latencies(times.shared), Latencies(times.bare))
            }.results[0]
        }
    }

    /// Returns the records of a zone. Each record is saved after its parent.
    private func tree(_ name: String) -> ReadZone {
        var zone = ReadZone(name: name, recordCount: recordCount, sizeBytes: sizeBytes)
        zone.parent = { $0 == 0 ? nil : ReadZone.recordName(($0 - 1) / Self.width) }
        return zone
    }

    private func share(_ zone: SharedZone, over client: AMQPRPCClient) async throws -> Duration {
        let body = zone.shareBody(root: ReadZone.recordName(0), with: [SharedZone.participant(0)])
        let owner = TimedRequests(client: client, service: ServiceAnswer())
        let answer = try await owner.ask(.recordsModify, body, expecting: #""shortGUID":"#, count: 1)
        try ReadZone.check(answer.answer)
        return answer.time
    }

    /// Sets the columns that contain the share of a record, in all records of a zone. The number is not that of a share
    /// that exists, so the records do not become visible to anyone.
    private func update(_ zone: ZoneEntry, over pool: PostgresPool) async throws -> Duration {
        let environment = zone.database.environment
        let start = ContinuousClock.now
        let result = try await pool.withConnection { connection in
            try await connection.query(
                PostgresStatement(
                    """
                    with updated as (
                        update \(environment.recordTable) set share = 1, share_seq = 1, share_since = 1
                        where environment = $1 and zone = $2 returning 1)
                    select count(*) from updated
                    """), [.int4(environment.rawValue), .int8(zone.row.rawValue)])
        }
        let time = ContinuousClock.now - start
        guard result.first?.int64(0) == Int64(recordCount) else { throw LimitFailure("the update changed other rows") }
        return time
    }
}
