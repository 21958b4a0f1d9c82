internal import CloudKitModel
internal import CloudKitQuery
internal import Synchronization

/// The predicates of subscriptions, read and bound once, and kept as long as there is room for their texts. Each
/// environment has a share of the room: one with many texts displaces its own.
final class PredicateCache: Sendable {
    /// The bytes of texts that are kept at most.
    private static let maxBytes = 16 << 20
    /// The bytes of texts that one environment keeps at most. Past them half of its texts is evicted; an evicted text is
    /// parsed again when it is needed.
    private static let maxShare = 4 << 20
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

    /// What is kept of an environment.
    private struct Share {
        /// By the bytes of their texts: texts that look alike are different ones.
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

        mutating func forgetHalf() {
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

        /// Makes room in the share of an environment, and in those that are larger than the others.
        mutating func makeRoom(in environment: Int32) {
            if shares[environment]?.bytes ?? 0 > maxShare { use(environment) { $0.forgetHalf() } }
            guard bytes > maxBytes else { return }
            let mean = bytes / shares.count
            for (environment, share) in shares where share.bytes >= mean { use(environment) { $0.forgetHalf() } }
        }
    }

    private let state = Mutex(State())

    /// Whether a record is what the predicate of `user` asks for. A predicate that cannot be read, as none should be,
    /// matches nothing, as does one that the record's values do not fit any more.
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
        // A comparison of a field that the record does not have is false, whatever the field's type.
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
