import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Determines the outcomes of unanswered changes by looking up their records, which have not been changed since.
struct MatchResolver: Sendable {
    private static let recordsPerRequest = 100

    /// Sends the requests.
    let requesters: MatchRequesters
    /// Provides the changes, and records their outcomes.
    let book: MatchBook

    private var plan: MatchPlan { book.plan }

    /// Resolves the unknown outcomes.
    ///
    /// - Returns: the number of changes whose outcome is still unknown.
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
        guard found.count == changes.count else {
            throw .unanswered(reason: "the answer to records.lookup has too few records")
        }
        for item in found {
            if let refusal = RequestFailure.Refusal(item), refusal.code != "NOT_FOUND" { throw .refused(refusal) }
        }
        for (change, item) in zip(changes, found) {
            book.resolve(change, isDone: Self.isDone(change.kind, step: item["fields"]?["step"]?["value"]?.int))
        }
    }

    /// Returns whether a change was made, given the `step` of its record; nil for a record that does not exist.
    static func isDone(_ kind: ChangedRecord.Kind, step: Int64?) -> Bool {
        switch kind {
        case .created: step != nil
        case .updated: step == MatchFacts.step(.updated)
        case .deleted: step == nil
        }
    }
}
