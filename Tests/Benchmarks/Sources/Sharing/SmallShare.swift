internal import AMQPClient
internal import Foundation
internal import PostgresClient
internal import RecordStorage
internal import ServiceMessages

/// The times of a participant's requests in two zones: in a large zone of which a share is a small part, and in a zone
/// that contains only such a share.
struct SmallShare: Sendable {
    /// The kinds of requests.
    enum Request: String, CaseIterable, Sendable {
        /// The feed of the zone from the beginning.
        case walk
        /// A query that finds all members.
        case query
        /// The last changes in the share, after many changes in the rest of the large zone.
        case tail
    }

    /// A zone that is measured.
    enum Side: String, CaseIterable, Sendable {
        case large
        case alone
    }

    /// The number of records in the share, including its root.
    private static let memberCount = 100
    /// The number of members that change before ``Request/tail``.
    private static let changeCount = 10
    /// The number of records without a share that also change then.
    private static let otherChangeCount = 1000
    private static let user = SharedZone.participant(0)

    /// The number of records in the large zone.
    let recordCount: Int
    /// The size of the operation that creates a record, in bytes.
    let sizeBytes: Int
    /// The number of requests of each kind in each zone.
    let repeatCount: Int

    /// Fills the zones, and sends each kind of request to the two zones in turn.
    ///
    /// - Throws: ``LimitFailure`` if an answer does not contain the expected records; `AMQPError`; `PostgresError`.
    func run() async throws -> [Request: [Side: Latencies]] {
        let query = try BenchQuery.named("numbers")
        try await SharedZone.prepare(Side.allCases.map { SharedZone(name: $0.rawValue) }, users: [Self.user])
        for side in Side.allCases { try await zone(side).fill() }
        try await QueryTimes(query: query, zone: Side.large.rawValue).waitForIndexes()
        try await vacuum()
        let producer = Producers(configuration: try LimitEnvironment.broker(), count: 1, inFlight: 1)
        return try await producer.run { client, _ in
            let reader = TimedRequests(client: client, service: SharedZone.requests(of: Self.user))
            func walk(_ side: Side, after token: String?, count: Int) async throws -> (answer: [UInt8], time: Duration)
            {
                let body = zone(side, owner: SharedZone.owner).changes(after: token, limit: 2 * Self.memberCount)
                return try await reader.ask(.changesZone, body, expecting: #""recordChangeTag":"#, count: count)
            }
            // The feed also contains the share.
            let walkCount = Self.memberCount + 1
            var times: [Request: [Side: Latencies]] = [:]
            times[.walk] = try await self.times { try await walk($0, after: nil, count: walkCount).time }
            times[.query] = try await self.times { side in
                let body = query.body(zone: side.rawValue, owner: SharedZone.owner)
                return try await reader.ask(
                    .recordsQuery, body, expecting: #""recordChangeTag":"#, count: Self.memberCount
                ).time
            }
            var tokens: [Side: String] = [:]
            for side in Side.allCases {
                tokens[side] = try Walks.Page(try await walk(side, after: nil, count: walkCount).answer).syncToken
            }
            try await change(over: client)
            times[.tail] = try await self.times {
                try await walk($0, after: tokens[$0], count: Self.changeCount).time
            }
            return times
        }.results[0]
    }

    private func times(_ measure: (Side) async throws -> Duration) async throws -> [Side: Latencies] {
        var times: [Side: [Duration]] = [:]
        try await Turns.run(Side.allCases, rounds: repeatCount) { side in
            times[side, default: []].append(try await measure(side))
        }
        return times.mapValues(Latencies.init)
    }

    /// Returns the records of a zone without the root. The members of the share are distributed evenly among them.
    private func zone(_ side: Side, owner: String? = nil) -> ReadZone {
        let recordCount = side == .large ? recordCount : Self.memberCount - 1
        var zone = ReadZone(name: side.rawValue, recordCount: recordCount, sizeBytes: sizeBytes)
        zone.owner = owner
        zone.parent = { isMember($0, of: side) ? SharedZone.root : nil }
        return zone
    }

    private func isMember(_ number: Int, of side: Side) -> Bool {
        guard side == .large else { return true }
        let step = recordCount / Self.memberCount
        return number.isMultiple(of: step) && number / step < Self.memberCount - 1
    }

    /// Brings the table into the state that autovacuum leaves, so that it does not run during the measurement.
    private func vacuum() async throws {
        try await LimitEnvironment.withServicePool(connections: 1) { pool in
            let table = try await zone(.large).row(over: pool).database.environment.recordTable
            try await pool.withConnection { try await $0.execute(script: "vacuum (analyze) \(table)") }
        }
    }

    /// Saves some members of each share, and other records of the large zone.
    private func change(over client: AMQPRPCClient) async throws {
        let owner = ServiceAnswer()
        for (number, side) in Side.allCases.enumerated() {
            var shape = LoadShape(operations: Self.changeCount, sizeBytes: sizeBytes)
            shape.parent = { _ in SharedZone.root }
            let body = shape.body(zone: side.rawValue, namePrefix: "changed")
            try ReadZone.check(
                try await owner.answer(to: .recordsModify, body: body, over: client, slot: 0, number: number))
        }
        let others = LoadShape(operations: Self.otherChangeCount, sizeBytes: sizeBytes)
        try ReadZone.check(
            try await owner.answer(
                to: .recordsModify, body: others.body(zone: Side.large.rawValue, namePrefix: "other"), over: client,
                slot: 1, number: 0))
    }
}
