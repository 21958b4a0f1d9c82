internal import CloudKitModel
internal import CloudKitQuery
internal import Synchronization

/// A cache of the parsed and bound predicates of subscriptions. The total size of their text is limited. Each
/// environment's share is limited too, so that an environment with many predicates evicts only its own predicates.
final class PredicateCache: Sendable {
    /// The maximum total size of the predicates' text, in bytes.
    private static let maxBytes = 16 << 20
    /// The maximum total size of the text of one environment's predicates, in bytes. Above this size, half the
    /// environment's predicates are evicted; they are parsed again when they are needed.
    private static let maxShare = 4 << 20
    /// The maximum number of bindings that are kept for a predicate. Records with different fields need different
    /// bindings.
    private static let maxBindings = 8

    /// A predicate and its bindings.
    private struct Known {
        let predicate: Predicate
        /// The names of the fields that the predicate compares.
        let fields: Set<String>
        var bindings: [Binding: BoundPredicate?] = [:]
    }

    /// The user and the types of a record's fields to which a predicate is bound.
    private struct Binding: Hashable {
        let user: String
        let types: [String: FieldType]
        let words: [SearchableField]
    }

    /// The cached predicates of an environment.
    private struct Share {
        /// The predicates, keyed by the bytes of their text. Strings are unsuitable as keys: canonically equivalent
        /// strings are equal, but they can be different predicates.
        private(set) var known: [[UInt8]: Known] = [:]
        private(set) var bytes = 0

        mutating func keep(_ value: Known, for key: [UInt8]) {
            if known.updateValue(value, forKey: key) == nil { bytes += key.count }
        }

        mutating func keep(_ bound: BoundPredicate?, for binding: Binding, of key: [UInt8]) {
            guard known[key] != nil else { return }
            if known[key]?.bindings.count ?? 0 >= maxBindings { known[key]?.bindings = [:] }
            known[key]?.bindings[binding] = .some(bound)
        }

        mutating func evictHalf() {
            for key in known.keys.prefix((known.count + 1) / 2) {
                known[key] = nil
                bytes -= key.count
            }
        }
    }

    private struct State {
        private(set) var shares: [Int32: Share] = [:]
        private var bytes = 0

        mutating func use(_ environment: Int32, _ body: (inout Share) -> Void) {
            let before = shares[environment]?.bytes ?? 0
            body(&shares[environment, default: Share()])
            let after = shares[environment]?.bytes ?? 0
            bytes += after - before
            if after == 0 { shares[environment] = nil }
        }

        /// Evicts predicates from an environment's share if the share is too large, and from all shares of at least
        /// average size if the whole cache is too large.
        mutating func makeRoom(in environment: Int32) {
            if shares[environment]?.bytes ?? 0 > maxShare { use(environment) { $0.evictHalf() } }
            guard bytes > maxBytes else { return }
            let mean = bytes / shares.count
            for (environment, share) in shares where share.bytes >= mean { use(environment) { $0.evictHalf() } }
        }
    }

    private let state = Mutex(State())

    /// Returns whether a record matches a predicate of `user`. A predicate that cannot be parsed, or that cannot be
    /// bound to the types of the record's values, does not match.
    func matches(_ text: String, _ record: EventRecord, user: String, environment: Int32) -> Bool {
        bound(text, record, user: user, environment)?.matches(record) ?? false
    }

    private func bound(_ text: String, _ record: EventRecord, user: String, _ environment: Int32) -> BoundPredicate? {
        let key = Array(text.utf8)
        guard let known = known(key, text, environment) else { return nil }
        let types = record.fields.compactMapValues(\.type).filter { known.fields.contains($0.key) }
        let words = known.predicate.searchesAllFields ? record.fieldsOfWords : []
        let binding = Binding(user: user, types: types, words: words)
        if let bound = known.bindings[binding] { return bound }
        // A comparison of a field that the record lacks is false, regardless of the field's type.
        let present = known.predicate.keeping { types[$0] != nil }
        let bound = try? PredicateBinder(record, user: user).bind(present)
        state.withLock { $0.use(environment) { $0.keep(bound, for: binding, of: key) } }
        return bound
    }

    private func known(_ key: [UInt8], _ text: String, _ environment: Int32) -> Known? {
        if let known = state.withLock({ $0.shares[environment]?.known[key] }) { return known }
        guard let predicate = try? Predicate(format: text, now: 0) else { return nil }
        let known = Known(predicate: predicate, fields: predicate.fields)
        state.withLock { state in
            state.makeRoom(in: environment)
            state.use(environment) { $0.keep(known, for: key) }
        }
        return known
    }
}

extension Predicate {
    /// Returns the predicate with `false` in place of each comparison of a missing field.
    fileprivate func keeping(_ isPresent: (String) -> Bool) -> Predicate {
        switch self {
        case .and(let predicates): .and(predicates.map { $0.keeping(isPresent) })
        case .or(let predicates): .or(predicates.map { $0.keeping(isPresent) })
        case .not(let predicate): .not(predicate.keeping(isPresent))
        case .comparison(let comparison):
            if case .field(let name) = comparison.key, !isPresent(name) { .nothing } else { self }
        }
    }

    /// The names of the fields that the predicate compares.
    fileprivate var fields: Set<String> {
        Set(comparisons.compactMap { if case .field(let name) = $0.key { name } else { nil } })
    }

    /// Whether the predicate searches the words of all fields.
    fileprivate var searchesAllFields: Bool { comparisons.contains { $0.key == .allTokens } }

    private var comparisons: [Comparison] {
        switch self {
        case .and(let predicates), .or(let predicates): predicates.flatMap(\.comparisons)
        case .not(let predicate): predicate.comparisons
        case .comparison(let comparison): [comparison]
        }
    }
}
