/// The syntax tree of a regular expression.
indirect enum RegularExpressionSyntax: Hashable, Sendable {
    /// These scalars in sequence; the empty string if there are none.
    case literal([Unicode.Scalar])
    /// One scalar of a class.
    case oneOf(ScalarClass)
    /// The beginning of the text (`^`).
    case start
    /// The end of the text (`$`).
    case end
    /// All items in sequence.
    case sequence([Self])
    /// One of the items.
    case alternatives([Self])
    /// Repetitions of an item. `offset` is the quantifier's position in the pattern.
    case repetition(Self, atLeast: Int, atMost: Int?, offset: Int)

    /// Creates a sequence in which adjacent literals are merged.
    init(sequence items: [Self]) {
        var joined: [Self] = []
        for item in items {
            if case .literal(let next) = item, case .literal(let last)? = joined.last {
                joined[joined.count - 1] = .literal(last + next)
            } else {
                joined.append(item)
            }
        }
        if joined.count == 1, let only = joined.first { self = only } else { self = .sequence(joined) }
    }
}

extension RegularExpressionSyntax {
    /// Returns the syntax tree for strings folded with `options`. Literals are folded as a whole, because the folded
    /// form of a scalar can depend on its neighbours.
    func folded(_ options: TextOptions) -> Self {
        guard !options.isEmpty else { return self }
        switch self {
        case .literal(let scalars):
            let folded = TextFolding.fold(String(scalars: scalars), options)
            return .literal(Array(folded.unicodeScalars))
        case .oneOf(let scalars): return .oneOf(scalars.folded(options))
        case .start, .end: return self
        case .sequence(let items): return .sequence(items.map { $0.folded(options) })
        case .alternatives(let items): return .alternatives(items.map { $0.folded(options) })
        case .repetition(let item, let atLeast, let atMost, let offset):
            return .repetition(item.folded(options), atLeast: atLeast, atMost: atMost, offset: offset)
        }
    }

    /// The longest literal in this sequence and its nested sequences, excluding alternatives and repetitions. If
    /// several are equally long, the first is returned.
    var requiredLiteral: String? {
        var longest: [Unicode.Scalar] = []
        for case .literal(let scalars) in flattened where scalars.count > longest.count { longest = scalars }
        return longest.isEmpty ? nil : String(scalars: longest)
    }

    private var flattened: [Self] {
        guard case .sequence(let items) = self else { return [self] }
        return items.flatMap(\.flattened)
    }
}
