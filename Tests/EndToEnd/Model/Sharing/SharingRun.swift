import TestSupport

/// A run of several rounds in which owners and participants act concurrently. After each round, the owners' feeds and
/// the copies of all participants must show the state to which an order of the round's messages leads.
struct SharingRun {
    /// What the run needs from the services besides their answers.
    struct Services: Sendable {
        /// Starts services that were killed.
        let restart: @Sendable () async throws -> Void
        /// Waits until no background job has work left in a zone of an owner, and returns the differences between the
        /// stored membership and the parents.
        let problems: @Sendable (_ zone: String, _ owner: String) async throws -> [String]
    }

    let program: SharingProgram
    let clients: [SharingClient]
    let services: Services

    /// The knowledge from the rounds so far.
    var knowledge = ModelKnowledge(model: ReferenceModel(moveLimit: SharingProgram.moveLimit))
    /// The number of times that each situation occurred.
    var coverage: [String: Int] = [:]
    /// The acceptances that gave access in this round.
    var gains: Set<String> = []
    /// The content of the owners' feeds so far.
    private var audited = SharingProgram.zones.map { ZoneCopy(of: $0) }
    /// The copies that every participant keeps of every zone, and of the shared database.
    private var watches = SharingProgram.owners.sorted { $0.key < $1.key }.flatMap { zone, owner in
        ModelUser.allCases.filter { $0 != owner }.map { SharedWatch($0, of: zone, owner: owner) }
    }
    private var databases = ModelUser.allCases.map { ($0, DatabaseCopy(isShared: true)) }
    /// The number of executed steps.
    private(set) var steps = 0

    init(_ program: SharingProgram, clients: [SharingClient], services: Services) {
        self.program = program
        self.clients = clients
        self.services = services
    }

    /// Runs rounds until at least `limit` steps have been executed.
    ///
    /// - Throws: ``TestFailure`` with the seed and a description of the failure.
    mutating func run(steps limit: Int) async throws {
        var round = 0
        while steps < limit {
            do {
                try await take(round: round)
            } catch {
                throw TestFailure("seed \(program.seed), round \(round): \(error)")
            }
            round += 1
        }
    }

    /// - Parameter round: 0 for the round that creates the zones.
    private mutating func take(round: Int) async throws {
        let logs = round == 0 ? [try await begin()] : try await act(round: round)
        steps += logs.reduce(0) { $0 + $1.steps }
        try await services.restart()
        let kills = logs.flatMap(\.kills)
        let (before, exchanges) = (knowledge.model, logs.flatMap(\.exchanges).map { $0.interrupted(by: kills) })
        try await checkMembership()
        let news = try await concurrently(audited) { [clients] copy in
            try await FeedObservation.read(since: copy, as: Self.client(of: copy.zone, in: clients).model.client)
        }
        audited = news.map(\.copy)
        gains = []
        for (zone, observed) in zip(SharingProgram.zones, news) {
            let own = exchanges.filter { $0.message.request.zone == zone }
            let order = try Explanation.order(of: own, from: knowledge.model, in: zone, by: observed.observation)
            var states = [knowledge.model.zone(zone)]
            for step in order {
                replay(step)
                states.append(knowledge.model.zone(zone))
            }
            doubtRefusals(order, given: states)
            knowledge.model.settle(zone)
            knowledge.model.learn(tags: observed.copy.records, in: zone)
        }
        knowledge.remember(exchanges.filter { $0.isRepeatable || $0.message.request.isRead })
        do {
            try await check(logs, since: before, round: round)
        } catch {
            throw TestFailure(
                "\(error)\nMessages of the round:\n\(exchanges.map { "  \($0)" }.joined(separator: "\n"))")
        }
    }

    /// The refusal of an acceptance does not tell whether the user gained access and lost it before the answer was
    /// written. If that may have happened, the model allows for it.
    private mutating func doubtRefusals(_ order: [Explanation.Step], given states: [ModelZone]) {
        for exchange in order.map(\.exchange) where exchange.answer == .refused(.notFound) {
            guard case .accept(let zone, let link) = exchange.message.request, let user = exchange.message.participant
            else { continue }
            for (name, share) in states.flatMap(\.shares) where share.link == link {
                var share = share
                guard share.accept(user) == true else { continue }
                knowledge.model.doubt(share, name, of: user, in: zone)
                break
            }
        }
    }

    private func begin() async throws -> ModelLog {
        var log = ModelLog()
        for zone in SharingProgram.zones {
            let client = Self.client(of: zone, in: clients).model
            for (index, request) in SharingProgram.beginning(of: zone).enumerated() {
                let id = "\(client.name)-\(zone)-\(index)"
                log.exchanges += try await client.send(ModelMessage(id: id, client: client.name, request: request))
            }
        }
        return log
    }

    private func act(round: Int) async throws -> [ModelLog] {
        try await concurrently(clients.indices) { [program, clients, knowledge] index in
            let steps = program.steps(client: index, round: round)
            return try await clients[index].take(steps, round: round, knowing: knowledge)
        }
    }

    /// The first client of the owner of a zone.
    private static func client(of zone: String, in clients: [SharingClient]) -> SharingClient {
        clients.first { $0.user == SharingProgram.owners[zone] } ?? clients[0]
    }

    /// The client with which a user reads the shared database.
    private static func reader(_ user: ModelUser, in clients: [SharingClient]) -> TestClient {
        (clients.first { $0.user == user } ?? clients[0]).shared
    }

    private func checkMembership() async throws {
        let problems = try await concurrently(SharingProgram.zones) { [services] zone in
            try await services.problems(zone, (SharingProgram.owners[zone] ?? .first).name).map { "\(zone): \($0)" }
        }
        guard problems.joined().isEmpty else {
            throw TestFailure("the stored membership differs from the parents: \(problems.joined())")
        }
    }

    private mutating func check(_ logs: [ModelLog], since before: ReferenceModel, round: Int) async throws {
        let reads = try await concurrently(logs.flatMap(\.shared)) { [clients] read in
            try await read.finished(as: Self.reader(read.user, in: clients))
        }
        for read in reads { try check(read, since: before, draw: round) }
        let syncs = try await concurrently(logs.flatMap(\.sharedSyncs)) { [clients] user, sync in
            (user, try await sync.finished(as: Self.reader(user, in: clients)))
        }
        for (user, sync) in syncs {
            try check(sync.final, of: user)
            knowledge.remember(sync.final, for: user.name, draw: round)
        }
        watches = try await concurrently(watches.enumerated().map { ($0, $1) }) { [clients] index, watch in
            let isFresh = (round + index) % 7 == 0
            return try await watch.fetched(
                as: Self.reader(watch.user, in: clients), limit: Int64(1 + (round + index) % 5), isFresh: isFresh,
                reverse: (round + index) % 3 == 0)
        }
        for index in watches.indices { watches[index] = try checked(watches[index]) }
        for index in databases.indices {
            let (user, copy) = databases[index]
            var next = copy
            let listed = try await next.sync(as: Self.reader(user, in: clients), limit: 2)
            databases[index].1 = next
            try check(next, of: user)
            try check(listed, of: user, since: before)
        }
    }
}
