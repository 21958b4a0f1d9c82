import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Returns the requester for a user of the load in one of its databases. Both are given by number.
typealias MatchRequesters = @Sendable (_ user: Int, _ database: Int) -> any Requester

/// A writer of the load. It makes its changes in order, one request at a time, and records their outcomes in the book.
struct MatchWriter: Sendable {
    /// The number of missing notifications above which writers wait, because the ledgers keep these changes in memory.
    private static let maxAwaited = 200_000

    /// The writer's number.
    let number: Int
    /// Sends the requests.
    let requester: any Requester
    /// Records the outcomes.
    let book: MatchBook
    /// The counts of the writers.
    let tally: Tally<WatchedCounts>

    private var plan: MatchPlan { book.plan }

    /// Makes changes from `start` until the plan's duration has passed and the last answer has arrived.
    func run(from start: ContinuousClock.Instant) async {
        var pace = LoadPace(rate: plan.rate, slot: number, of: plan.writers, from: start, for: plan.duration)
        var requestCount = 0
        while requestCount < plan.requestsPerWriter ?? .max, await pace.next() != nil {
            requestCount += 1
            guard book.awaited <= Self.maxAwaited else {
                try? await ContinuousClock().sleep(for: .milliseconds(100))
                continue
            }
            let wasAnswered = await writeOnce()
            if !wasAnswered { try? await ContinuousClock().sleep(for: .milliseconds(100)) }
        }
    }

    private func writeOnce() async -> Bool {
        let changes = book.begin(number)
        do throws(RequestFailure) {
            let answer = try await requester.ask(
                Request(.recordsModify, body: body(changes).encoded()), limit: plan.requestLimit)
            let now = ContinuousClock.now
            let code = ReplyScan.errorCode(in: answer.body) ?? (answer.isGood ? nil : "STATUS_\(answer.status)")
            if code == nil { book.done(changes, by: number, at: now) } else { book.failed(changes, by: number) }
            tally.update { counts in
                counts.retried += answer.attempts - 1
                if let code {
                    counts.failed += changes.count
                    counts.errors.note(code, count: changes.count)
                } else {
                    counts.acknowledged += changes.count
                }
            }
            return true
        } catch {
            book.failed(changes, by: number)
            tally.update { counts in
                counts.failed += changes.count
                counts.errors.note(error.code, count: changes.count)
            }
            return false
        }
    }

    private func body(_ changes: [MatchChange]) -> JSONValue {
        [
            "zoneID": ["zoneName": .string(plan.zoneName(plan.place(ofWriter: number)))], "desiredKeys": [],
            "operations": .array(
                changes.map { change in
                    let name = JSONValue.string(plan.names.record(change.record(operations: plan.operations)))
                    guard change.kind != .deleted else {
                        return ["operationType": "forceDelete", "record": ["recordName": name]]
                    }
                    return [
                        "operationType": "forceReplace",
                        "record": MatchFacts(change, plan).record(named: name),
                    ]
                }),
        ]
    }
}

extension MatchFacts {
    /// Returns the dictionary of a created or updated record.
    func record(named name: JSONValue) -> JSONValue {
        [
            "recordName": name, "recordType": .string(recordType),
            "fields": [
                "word": ["value": .string(word), "type": "STRING"],
                "n": ["value": .int(number), "type": "INT64"],
                "step": ["value": .int(Self.step(kind)), "type": "INT64"],
            ],
        ]
    }
}
