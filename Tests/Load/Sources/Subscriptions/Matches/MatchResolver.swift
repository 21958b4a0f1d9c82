import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Finds out what became of changes whose answers never came, by a look at their records: nothing was done to them since.
struct MatchResolver: Sendable {
    private static let recordsPerRequest = 100

    /// Sends the requests.
    let requesters: MatchRequesters
    /// Who asks, and is told.
    let book: MatchBook

    private var plan: MatchPlan { book.plan }

    /// Resolves what is unknown.
    ///
    /// - Returns: of how many changes nobody knows still.
    func resolve() async -> Int {
        var unresolved = 0
        for (place, changes) in Dictionary(grouping: book.unknown, by: { plan.place(ofWriter: $0.writer) }) {
            for first in stride(from: 0, to: changes.count, by: Self.recordsPerRequest) {
                let some = Array(changes[first..<min(first + Self.recordsPerRequest, changes.count)])
                do {
                    try await resolve(some, in: place)
                } catch {
                    unresolved += some.count
                }
            }
        }
        return unresolved
    }

    private func resolve(_ changes: [MatchChange], in place: MatchPlan.Place) async throws(RequestFailure) {
        let user = changes.first.map { plan.user(ofWriter: $0.writer) } ?? 0
        let answer = try await requesters(user, place.database).ask(
            .recordsLookup,
            [
                "zoneID": ["zoneName": .string(plan.zoneName(place))], "desiredKeys": ["step"],
                "records": .array(
                    changes.map { change in
                        ["recordName": .string(plan.names.record(change.record(operations: plan.operations)))]
                    }),
            ], limit: plan.requestLimit)
        let found = answer["records"]?.array ?? []
        guard found.count == changes.count else { throw .unanswered(reason: "the answer to records.lookup is short") }
        for item in found {
            if let refusal = RequestFailure.Refusal(item), refusal.code != "NOT_FOUND" { throw .refused(refusal) }
        }
        for (change, item) in zip(changes, found) {
            book.resolve(change, isDone: Self.isDone(change.kind, step: item["fields"]?["step"]?["value"]?.int))
        }
    }

    /// Whether a change was done to a record that is at `step` of its life; nil: it is not there.
    static func isDone(_ kind: ChangedRecord.Kind, step: Int64?) -> Bool {
        switch kind {
        case .created: step != nil
        case .updated: step == MatchFacts.step(.updated)
        case .deleted: step == nil
        }
    }
}
