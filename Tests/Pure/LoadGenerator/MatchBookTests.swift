import CloudKitWire
import ServiceMessages
import Synchronization
import Testing

@testable import CommandLineSession
@testable import LoadGenerator

/// Writers and subscriptions of a load with a service in memory, which notifies of changes immediately and has
/// configurable faults.
@Suite(.timeLimit(.minutes(1))) struct MatchBookTests {
    /// A fault of the service.
    enum Fault: CaseIterable {
        case none, loses, repeats, tellsAll, firesTwice, losesAnswers, garbles
    }

    private final class Service: Requester {
        private struct State {
            var seqs: [MatchPlan.Place: Int64] = [:]
            var fired: Set<String> = []
            var reported = 0
            var asked = 0
            var steps: [String: Int64] = [:]
        }

        private let fault: Fault
        private let book: MatchBook
        private let state = Mutex(State())

        init(_ fault: Fault, _ book: MatchBook) {
            self.fault = fault
            self.book = book
        }

        func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
            let body = try Answer(status: 200, body: request.body, attempts: 1).json()
            if request.operation == .recordsLookup { return lookup(body) }
            let isLost = state.withLock { state in
                // The changes are notified in their order.
                for operation in body["operations"]?.array ?? [] {
                    for message in change(operation, &state) { book.hear(message, at: .now) }
                }
                state.asked += 1
                return fault == .losesAnswers && state.asked % 7 == 0
            }
            if isLost { throw .unanswered(reason: "lost") }
            return Answer(status: 200, body: Array(#"{"records":[]}"#.utf8), attempts: 1)
        }

        private func lookup(_ body: JSONValue) -> Answer {
            let steps = state.withLock(\.steps)
            let items = (body["records"]?.array ?? []).map { item -> JSONValue in
                guard let step = steps[item["recordName"]?.string ?? ""] else {
                    return ["serverErrorCode": "NOT_FOUND"]
                }
                return ["fields": ["step": ["value": .int(step)]]]
            }
            return Answer(
                status: 200, body: (["records": .array(items)] as JSONValue).encoded(), attempts: 1)
        }

        private func change(_ operation: JSONValue, _ state: inout State) -> [[UInt8]] {
            let name = operation["record"]?["recordName"]?.string ?? ""
            let step = operation["record"]?["fields"]?["step"]?["value"]?.int
            state.steps[name] = step
            guard let record = book.plan.names.record(named: name) else { return [] }
            let kind: ChangedRecord.Kind = step == nil ? .deleted : step == 1 ? .created : .updated
            let facts = MatchFacts(
                MatchChange(kind, of: record, operations: book.plan.operations), book.plan)
            let seq = state.seqs[facts.place, default: 0] + 1
            state.seqs[facts.place] = seq
            var messages: [[UInt8]] = []
            for subscription in book.subscriptions
            where subscription.database == facts.place.database
                && (subscription.matches(facts) || fault == .tellsAll)
            {
                if subscription.kind == .once, !state.fired.insert(subscription.id).inserted, fault != .firesTwice {
                    continue
                }
                state.reported += 1
                if fault == .loses, state.reported % 10 == 0 { continue }
                let message = message(subscription, name, kind, facts, seq)
                messages += Array(repeating: message, count: fault == .repeats ? 2 : 1)
            }
            return messages
        }

        private func message(
            _ subscription: MatchedSubscription, _ name: String, _ kind: ChangedRecord.Kind, _ facts: MatchFacts,
            _ seq: Int64
        ) -> [UInt8] {
            let part = subscription.isQuery ? "qry" : subscription.kind == .zone ? "fet" : "met"
            let reason: Int64 = kind == .created ? 1 : kind == .updated ? 2 : 3
            var ck: [(String, JSONValue?)] = [("sid", .string(subscription.id))]
            if subscription.isQuery {
                ck += [("rid", .string(fault == .garbles ? "other" : name)), ("fo", .int(reason))]
            }
            return JSONValue.object(having: [
                ("id", .string("\(subscription.id)/\(facts.place)/\(seq)")),
                ("zone", .string(book.plan.zoneName(facts.place))), ("incarnation", .string("\(facts.place)")),
                ("fromSeq", .int(seq)), ("toSeq", .int(seq)),
                ("records", [["recordName": .string(name), "recordType": "T", "change": .string(kind.rawValue)]]),
                ("ck", .object([JSONValue.Member(part, .object(having: ck))])),
            ]).encoded()
        }
    }

    private func run(_ fault: Fault, operations: Int = 1) async -> (book: MatchBook, unresolved: Int) {
        var plan = MatchPlan()
        (plan.seed, plan.operations, plan.requestsPerWriter) = (3, operations, 60)
        plan.duration = .seconds(60)
        plan.userNames = LoadNames.newUsers(plan.users)
        let book = MatchBook(plan)
        let service = Service(fault, book)
        let ids = book.subscriptions.map(\.id)
        book.isSending(ids)
        book.isSaved(ids)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<plan.writers {
                let writer = MatchWriter(
                    number: number, requester: service, book: book, tally: Tally(WatchedCounts()))
                group.addTask { await writer.run(from: .now) }
            }
        }
        let unresolved = await MatchResolver(requesters: { _, _ in service }, book: book).resolve()
        return (book, unresolved)
    }

    @Test(arguments: [1, 5])
    func aServiceThatKeepsItsPromisesPassesAlsoWithSeveralChangesInARequest(operations: Int) async {
        let (book, _) = await run(.none, operations: operations)
        let findings = book.findings
        #expect(findings.isGood)
        #expect(findings.expected > 500 && findings.received == findings.expected)
        #expect(book.awaited == 0)
        #expect(book.results.malformed == 0)
        #expect(book.results.changes == 60 * operations * book.plan.writers)
        for (kind, saved, findings) in book.findingsByKind { #expect(saved > 0 && findings.received > 0, "\(kind)") }
        // Subscriptions that fire once and have fired must not exist any more.
        let listed = book.listed
        for subscription in book.subscriptions where subscription.kind != .once {
            #expect(listed[subscription.id] == true)
        }
        #expect(listed.values.contains(false))
        #expect(await book.settle(within: .seconds(5)))
    }

    @Test func changesWithoutAnAnswerAreLookedUpAndThenExpectedLikeOthers() async {
        let (book, unresolved) = await run(.losesAnswers)
        #expect(unresolved == 0)
        #expect(book.unknown.isEmpty)
        #expect(book.findings.isGood)
        #expect(book.findings.received == book.findings.expected)
    }

    @Test func lostNotificationsAreFound() async {
        let (book, _) = await run(.loses)
        #expect(book.findings.lost > 50)
        #expect(book.findings.foreign == 0)
        #expect(await !book.settle(within: .milliseconds(50)))
    }

    @Test func repeatedNotificationsAreCountedAndAllowed() async {
        let (book, _) = await run(.repeats)
        #expect(book.findings.repeats > 500)
        #expect(book.findings.isGood)
    }

    @Test func notificationsOfChangesThatDoNotMatchAreFound() async {
        let (book, _) = await run(.tellsAll)
        #expect(book.findings.foreign > 500)
        #expect(!book.findings.isGood)
    }

    @Test func aSubscriptionThatFiresOnceAndAgainIsFound() async {
        let (book, _) = await run(.firesTwice)
        #expect(book.findings.firedOnceTwice > 10)
        #expect(book.findings.lost == 0 && book.findings.foreign == 0)
    }

    @Test func aMalformedMessageIsFound() async {
        let (book, _) = await run(.garbles)
        #expect(book.results.malformed > 100)
        #expect(book.findings.lost > 100)
    }

    @Test func aReportHasEveryKeyAndEachFindingFailsTheRun() async {
        let (book, _) = await run(.none)
        let report = MatchReport(
            book, counts: WatchedCounts(), saving: MatchSaving(), wronglyListed: 0, unresolved: 0, elapsed: .seconds(1),
            settledAfter: nil)
        #expect(report.isGood)
        for key in [
            "changes", "expected", "received", "lost", "foreign", "repeats", "unknownRepeats", "disordered",
            "firedOnceTwice", "wronglyListed", "malformed", "unresolved", "unsaved", "p50", "p90", "p99", "kinds",
        ] { #expect(report.json[key] != nil, "\(key)") }
        let bad: [(inout MatchReport) -> Void] = [
            { $0.findings.lost = 1 }, { $0.findings.foreign = 1 }, { $0.findings.disordered = 1 },
            { $0.findings.firedOnceTwice = 1 }, { $0.findings.wronglyListed = 1 }, { $0.findings.unknownRepeats = 1 },
            { $0.saving.unsaved = 1 }, { $0.unresolved = 1 }, { $0.malformed = 1 }, { $0.changes = 0 },
        ]
        for change in bad {
            var report = report
            change(&report)
            #expect(!report.isGood)
        }
    }
}
