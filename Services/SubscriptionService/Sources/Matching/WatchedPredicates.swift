internal import CloudKitModel
internal import CloudKitQuery
internal import Synchronization

/// The predicates of subscriptions, read once and kept as long as there is room for their texts.
final class WatchedPredicates: Sendable {
    /// Past this many bytes of texts everything is forgotten: what is needed is read again.
    private static let maxBytes = 8 << 20

    private struct State {
        var predicates: [String: Predicate] = [:]
        var bytes = 0
    }

    private let state = Mutex(State())

    /// Whether a record is what the predicate of `user` asks for. A predicate that cannot be read, as none should be,
    /// matches nothing, as does one that the record's values do not fit any more.
    func matches(_ text: String, _ record: EventRecord, user: String) -> Bool {
        guard let predicate = predicate(text) else { return false }
        // A comparison of a field that the record does not have is false, whatever the field's type.
        let present = predicate.keeping { record.fields[$0]?.type != nil }
        guard let bound = try? PredicateBinder(record, user: user).bind(present) else { return false }
        return bound.matches(record)
    }

    private func predicate(_ text: String) -> Predicate? {
        if let known = state.withLock({ $0.predicates[text] }) { return known }
        guard let read = try? Predicate(format: text, now: 0) else { return nil }
        state.withLock { state in
            if state.bytes > Self.maxBytes { state = State() }
            if state.predicates.updateValue(read, forKey: text) == nil { state.bytes += text.utf8.count }
        }
        return read
    }
}

extension Predicate {
    /// The predicate in which comparisons of fields that are not there are false.
    fileprivate func keeping(_ isThere: (String) -> Bool) -> Predicate {
        switch self {
        case .and(let predicates): .and(predicates.map { $0.keeping(isThere) })
        case .or(let predicates): .or(predicates.map { $0.keeping(isThere) })
        case .not(let predicate): .not(predicate.keeping(isThere))
        case .comparison(let comparison):
            if case .field(let name) = comparison.key, !isThere(name) { .nothing } else { self }
        }
    }
}
