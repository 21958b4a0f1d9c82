import TestSupport

/// A run of several rounds in which all clients act concurrently. After each round, the feeds show the resulting state.
/// The run then searches for an order of the round's messages that explains every answer and this state.
struct ModelRun {
    let program: ModelProgram
    let clients: [ModelClient]
    /// Reads the feeds after each round.
    let auditor: TestClient

    /// The knowledge from the rounds so far.
    var knowledge = ModelKnowledge()
    /// The number of times that each situation occurred.
    var coverage: [String: Int] = [:]
    /// The content of the feeds so far, by zone.
    private var audited: [ZoneCopy] = zones.map { ZoneCopy(of: $0) }
    /// The number of executed steps.
    private(set) var steps = 0

    private static let zones = [ModelZone.defaultName] + ModelProgram.zones

    init(_ program: ModelProgram, clients: [ModelClient], auditor: TestClient) {
        self.program = program
        self.clients = clients
        self.auditor = auditor
    }

    /// Runs rounds until at least `limit` steps have been executed.
    ///
    /// - Throws: ``TestFailure`` with the seed and a description of the failure.
    mutating func run(steps limit: Int) async throws {
        _ = try await observe()
        var round = 0
        while steps < limit {
            round += 1
            do {
                try await take(round: round)
            } catch {
                throw TestFailure("seed \(program.seed), round \(round): \(error)")
            }
        }
    }

    private mutating func take(round: Int) async throws {
        let logs = try await concurrently(clients.indices) { [program, clients, knowledge] index in
            let steps = program.steps(client: index, round: round)
            return try await clients[index].take(steps, round: round, knowing: knowledge)
        }
        steps += logs.reduce(0) { $0 + $1.steps }
        let exchanges = logs.flatMap(\.exchanges)
        for (zone, observation) in zip(Self.zones, try await observe()) {
            try explain(exchanges.filter { $0.message.request.zone == zone }, in: zone, by: observation)
        }
        knowledge.remember(exchanges)
        // All other zones either existed or did not exist during the whole round.
        let unsettled = Set(exchanges.filter { $0.message.request.isOfZones }.map(\.message.request.zone))
        for read in try await concurrently(logs.flatMap(\.reads), { [auditor] in try await $0.finished(as: auditor) }) {
            try check(read, isSettled: !unsettled.contains(read.start.zone), draw: round)
        }
        for answer in logs.flatMap(\.foreign) where !unsettled.contains(answer.zone) { try check(answer) }
        for sync in try await concurrently(logs.flatMap(\.syncs), { [auditor] in try await $0.finished(as: auditor) }) {
            try check(sync, draw: round)
        }
    }

    /// Returns the changes in the feeds since they were last read.
    private mutating func observe() async throws -> [FeedObservation] {
        let news = try await concurrently(audited) { [auditor] in try await FeedObservation.read(since: $0, as: auditor)
        }
        audited = news.map(\.copy)
        return news.map(\.observation)
    }
}

/// Performs an operation for all elements concurrently.
///
/// - Returns: the results in the order of the elements.
func concurrently<Elements: Collection & Sendable, Result: Sendable>(
    _ elements: Elements, _ body: @escaping @Sendable (Elements.Element) async throws -> Result
) async throws -> [Result] where Elements.Element: Sendable {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        for (index, element) in elements.enumerated() {
            group.addTask { (index, try await body(element)) }
        }
        return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
