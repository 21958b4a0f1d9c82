extension ModelRun {
    /// The situations that occur in every program that is long enough. Without them, the test would cover less than it
    /// claims.
    private static let wanted: Set<String> = [
        "saved", "deleted", "cascade", "CONFLICT", "NOT_FOUND", "BAD_REQUEST", "ATOMIC_ERROR",
        "VALIDATING_REFERENCE_ERROR", "ZONE_NOT_FOUND", "zone made", "zone deleted", "repeat",
        "repeat of a partly failed batch", "repeat after a later write", "repeat without its zone", "walk: reached",
        "walk: change_token_expired", "walk: zone_not_found", "foreign token", "look-up", "sync",
    ]

    /// The situations that occurred, with their counts.
    var summary: String {
        coverage.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    /// The situations that should have occurred but did not.
    var unmet: [String] { Self.wanted.filter { coverage[$0] == nil }.sorted() }

    /// Counts a situation.
    mutating func count(_ what: String) { coverage[what, default: 0] += 1 }

    /// Executes a message whose place in the order is known, and counts the situations that occur.
    mutating func replay(_ exchange: ModelExchange) {
        let name = exchange.message.request.zone
        let before = knowledge.model.zone(name)
        let expectation = knowledge.model.perform(exchange.message, answered: exchange.answer)
        let after = knowledge.model.zone(name)
        if exchange.message.request.isRead { return count("look-up") }
        switch expectation {
        case .again(let first):
            count("repeat")
            let errors = first.items.compactMap(\.error)
            let saved = first.items.compactMap(\.record)
            if !errors.isEmpty, !saved.isEmpty { count("repeat of a partly failed batch") }
            if saved.contains(where: { $0.tag != after.records[$0.name]?.tag }) { count("repeat after a later write") }
            if !after.isThere { count("repeat without its zone") }
        case .acceptance, .answer(.accepted): break
        case .answer(.zone(let isDeleted)):
            if before != after { count(isDeleted ? "zone deleted" : "zone made") }
        case .answer(.refused(let error)): count(error.code)
        case .answer(.records(let items, _)):
            for item in items { count(item.error?.code ?? (item.record == nil ? "deleted" : "saved")) }
            let gone = Set(before.records.keys).subtracting(after.records.keys)
            if !gone.isSubset(of: items.map(\.name)) { count("cascade") }
        }
    }
}
