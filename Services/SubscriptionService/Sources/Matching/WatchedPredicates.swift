internal import CloudKitModel
internal import CloudKitQuery
internal import Synchronization

/// The predicates of subscriptions, read and bound once, and kept as long as there is room for their texts.
final class WatchedPredicates: Sendable {
    /// Past this many bytes of texts half of them is forgotten, any half: what is needed is read again.
    private static let maxBytes = 16 << 20
    /// A predicate is bound anew for records with other fields; so many ways of it are kept.
    private static let maxBindings = 8

    /// A predicate, and what it is for records with fields of given types.
    private struct Known {
        let predicate: Predicate
        /// The fields that it names.
        let fields: Set<String>
        var bindings: [Binding: BoundPredicate?] = [:]
    }

    /// For whom a predicate is bound, and to what.
    private struct Binding: Hashable {
        let user: String
        let types: [String: FieldType]
        let words: [SearchableField]
    }

    private struct State {
        /// By the bytes of their texts: texts that look alike are different ones.
        var known: [[UInt8]: Known] = [:]
        var bytes = 0
    }

    private let state = Mutex(State())

    /// Whether a record is what the predicate of `user` asks for. A predicate that cannot be read, as none should be,
    /// matches nothing, as does one that the record's values do not fit any more.
    func matches(_ text: String, _ record: EventRecord, user: String) -> Bool {
        bound(text, record, user: user)?.matches(record) ?? false
    }

    private func bound(_ text: String, _ record: EventRecord, user: String) -> BoundPredicate? {
        let key = Array(text.utf8)
        guard let known = known(key, text) else { return nil }
        let types = record.fields.compactMapValues(\.type).filter { known.fields.contains($0.key) }
        let words = known.predicate.searchesAllFields ? record.fieldsOfWords : []
        let binding = Binding(user: user, types: types, words: words)
        if let bound = known.bindings[binding] { return bound }
        // A comparison of a field that the record does not have is false, whatever the field's type.
        let present = known.predicate.keeping { types[$0] != nil }
        let bound = try? PredicateBinder(record, user: user).bind(present)
        state.withLock { state in
            guard state.known[key] != nil else { return }
            if state.known[key]?.bindings.count ?? 0 >= Self.maxBindings { state.known[key]?.bindings = [:] }
            state.known[key]?.bindings[binding] = .some(bound)
        }
        return bound
    }

    private func known(_ key: [UInt8], _ text: String) -> Known? {
        if let known = state.withLock({ $0.known[key] }) { return known }
        guard let predicate = try? Predicate(format: text, now: 0) else { return nil }
        let known = Known(predicate: predicate, fields: predicate.fields)
        state.withLock { state in
            if state.bytes > Self.maxBytes {
                for key in state.known.keys.prefix(state.known.count / 2) {
                    state.known[key] = nil
                    state.bytes -= key.count
                }
            }
            if state.known.updateValue(known, forKey: key) == nil { state.bytes += key.count }
        }
        return known
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

    /// The fields of the type that it names.
    fileprivate var fields: Set<String> {
        Set(comparisons.compactMap { if case .field(let name) = $0.key { name } else { nil } })
    }

    /// Whether it searches the words of all fields.
    fileprivate var searchesAllFields: Bool { comparisons.contains { $0.key == .allTokens } }

    private var comparisons: [Comparison] {
        switch self {
        case .and(let predicates), .or(let predicates): predicates.flatMap(\.comparisons)
        case .not(let predicate): predicate.comparisons
        case .comparison(let comparison): [comparison]
        }
    }
}
