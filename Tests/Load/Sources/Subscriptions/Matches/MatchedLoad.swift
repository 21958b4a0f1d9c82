import AMQPClient
import CloudKitModel
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Runs the part of a load that checks saved subscriptions. It creates zones, saves subscriptions before and while
/// writers make changes, and consumes their notifications. At the end, it resolves the changes without an answer and
/// waits for all expected notifications.
struct MatchedLoad: Sendable {
    private static let limit: Duration = .seconds(120)
    /// The time to wait for unexpected notifications after the last expected one. They would arrive at about the same
    /// time.
    private static let grace: Duration = .seconds(1)

    private let book: MatchBook
    private let requesters: MatchRequesters
    private let listeners: MatchListeners
    private let progress: @Sendable (String) -> Void

    private var plan: MatchPlan { book.plan }

    /// Creates a load.
    ///
    /// - Parameters:
    ///   - scope: the container and environment.
    ///   - configuration: the broker of the listeners.
    ///   - progress: called with a line when a long step begins.
    init(
        _ plan: MatchPlan, in scope: RequestScope, _ configuration: AMQPConfiguration,
        requesters: @escaping MatchRequesters, progress: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        let book = MatchBook(plan)
        self.book = book
        self.requesters = requesters
        self.progress = progress
        listeners = MatchListeners(book, configuration) { subscription in
            RoutingKey.userNotification(
                container: scope.container, environment: scope.environment,
                user: plan.userNames[subscription.user], subscriptionID: subscription.id)
        }
    }

    /// Runs the load.
    ///
    /// - Throws: the failure to create the zones or to consume. All other failures are in the report.
    func run() async throws(RequestFailure) -> MatchReport {
        for user in 0..<plan.users {
            try await LoadZones(requester: requesters(user, user), names: plan.names, count: plan.zonesPerUser)
                .make(progress)
        }
        try await makeTypes()
        return try await listeners.listening { await measure() }
    }

    /// Saves a record of each type, because a query on fields that have never existed is invalid.
    private func makeTypes() async throws(RequestFailure) {
        let place = MatchPlan.Place(database: 0, zone: 0)
        let operations = MatchFacts.recordTypes.map { type -> JSONValue in
            let facts = MatchFacts(place: place, kind: .created, recordType: type, word: "", number: 0)
            let name = "\(plan.names.run).first.\(type)"
            return ["operationType": "forceReplace", "record": facts.record(named: .string(name))]
        }
        let answer = try await requesters(0, 0).ask(
            .recordsModify,
            [
                "zoneID": ["zoneName": .string(plan.zoneName(place))], "desiredKeys": [],
                "operations": .array(operations),
            ], limit: Self.limit)
        for item in answer["records"]?.array ?? [] {
            if let refusal = RequestFailure.Refusal(item) { throw .refused(refusal) }
        }
    }

    private func measure() async -> MatchReport {
        let saver = MatchSaver(requesters: requesters, book: book, tally: Tally(MatchSaving()))
        progress("saving \(plan.subscriptions) subscriptions")
        await saver.saveEarly()
        let clock = ContinuousClock()
        let start = clock.now
        let tally = Tally(WatchedCounts())
        async let saved: Void = saver.saveLate(over: plan.duration * 0.7)
        _ = await LoadSlots.run(plan.writers) {
        } _: { [self] writer in
            let place = plan.place(ofWriter: writer)
            await MatchWriter(
                number: writer, requester: requesters(plan.user(ofWriter: writer), place.database), book: book,
                tally: tally
            ).run(from: start)
        }
        await saved
        let end = clock.now
        listeners.stay()
        let unresolved = await MatchResolver(requesters: requesters, book: book).resolve()
        let isSettled = await book.settle(within: plan.settle)
        let settledAfter = isSettled ? clock.now - end : nil
        try? await clock.sleep(for: Self.grace)
        let wrong = await saver.wronglyListed()
        let report = MatchReport(
            book, counts: tally.now, saving: saver.tally.now, wronglyListed: wrong.count, unresolved: unresolved,
            elapsed: end - start, settledAfter: settledAfter)
        progress("deleting \(plan.subscriptions) subscriptions")
        await saver.delete()
        return report
    }
}
